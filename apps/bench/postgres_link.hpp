#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "inbox/statement.hpp"
#include "inbox/time.hpp"

namespace bench {

struct close_link {
  void operator()(PGconn* c) const noexcept { PQfinish(c); }
};
struct clear_result {
  void operator()(PGresult* r) const noexcept { PQclear(r); }
};
using pg_result = std::unique_ptr<PGresult, clear_result>;

/// The values a statement of the library's takes in these loops.
struct pg_values {
  inbox::time_point now;
  inbox::time_point token;
  std::span<const std::int64_t> ids;
};

/// A connection through bare libpq, with binary parameters and results. Its
/// names for prepared statements are the caller's.
class pg_link {
public:
  static inbox::expected<pg_link> open(const std::string& url);

  /// Runs a text as it is; results are text.
  inbox::expected<pg_result> run(const std::string& text);

  inbox::expected<void> prepare(const char* name, const std::string& text);

  /// Runs a prepared statement and waits: one round trip.
  inbox::expected<pg_result> run_prepared(const char* name,
                                          const inbox::statement& s,
                                          const pg_values& with);

  /// The same with these texts as values; null means NULL.
  inbox::expected<pg_result> run_prepared(const char* name,
                                          std::span<const char* const> texts);

  inbox::expected<void> enter_pipeline();
  /// Queues a prepared statement; between `enter_pipeline` and `sync`.
  inbox::expected<void> queue(const char* name, const inbox::statement& s,
                              const pg_values& with);
  /// Ends what was queued, and sends it.
  inbox::expected<void> sync();
  /// The next queued statement's result.
  inbox::expected<pg_result> next();
  /// The end of what `sync` ended.
  inbox::expected<void> synced();

private:
  explicit pg_link(PGconn* c) : link_{c} {}

  inbox::expected<pg_result> checked(PGresult* r) const;
  tl::unexpected<inbox::failure> failed() const;

  std::unique_ptr<PGconn, close_link> link_;
};

/// The integer in a row's column of a binary result.
std::int64_t integer_at(const pg_result& rows, int row, int column);

} // namespace bench
