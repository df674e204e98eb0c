#pragma once

#include <string>
#include <utility>
#include <vector>

#include "inbox/driver.hpp"
#include "inbox/postgres/address.hpp"
#include "inbox/postgres/session.hpp"

namespace inbox::postgres {

/// One session with a Postgres server over libpq: statements prepared once,
/// values in the binary form, trips pipelined. Speaks UTC and UTF-8, at READ
/// COMMITTED unless a table opens otherwise.
class connection final : public inbox::connection {
public:
  connection(address where, session_settings settings);

  expected<server_facts> open() override;
  expected<void> prepare(const shared_statements& statements) override;
  trip_result run(const trip& request, time_point now) override;

  /// A text without values may hold several statements; the last one's rows
  /// are returned.
  /// @returns `errc::outcome_unknown` when the session ended over a statement
  ///          that writes on its own, outside a transaction.
  expected<execution> execute(std::string_view text,
                              std::span<const value> values) override;
  expected<void> begin() override;
  expected<void> commit() override;
  void roll_back() noexcept override;
  expected<time_point> clock() override;

  bool is_lost() const noexcept override { return session_.on.is_lost(); }
  bool has_ended() const noexcept override { return session_.on.has_ended(); }
  void interrupt() noexcept override { session_.on.interrupt(); }

  /// The connection under it, to be lent to libpqxx (`lent_connection`) while
  /// no other call is under way.
  link& lent() noexcept { return session_.on; }

private:
  expected<server_facts> set_up();
  expected<void> usable();
  expected<result_ptr> send(std::string_view text,
                            std::span<const value> values);
  expected<result_ptr> send_prepared(std::string_view text,
                                     std::span<const value> values);
  expected<void> run_text(const char* text);

  address where_;
  session session_;
};

} // namespace inbox::postgres
