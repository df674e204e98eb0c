#pragma once

#include <map>

#include "inbox/sqlite/served.hpp"

namespace inbox::sqlite {

/// How a connection opens its file and watches it.
struct connection_settings {
  location where;
  session_settings bounds;
  bool wal = false; ///< Switch the file to write-ahead logging.
  time_watch::settings watch;
};

/// A session on one SQLite file. Every transaction of its own is a short BEGIN
/// IMMEDIATE that queues behind this process' other writers. Times are bound
/// as text; columns with a time role come back as times.
class connection final : public inbox::connection {
public:
  explicit connection(connection_settings s) : settings_{std::move(s)} {}
  ~connection() override;

  expected<server_facts> open() override;
  expected<void> prepare(const shared_statements& statements) override;
  trip_result run(const trip& request, time_point now) override;

  /// Several statements in one text are run in turn, when no values are given;
  /// the last one's rows are returned. Values come back as they are stored,
  /// times as text.
  expected<execution> execute(std::string_view text,
                              std::span<const value> values) override;

  expected<void> begin() override;
  expected<void> commit() override;
  void roll_back() noexcept override;
  expected<time_point> clock() override;
  bool is_lost() const noexcept override;
  void interrupt() noexcept override { breaker_.break_off(); }

private:
  expected<void> start_call();
  expected<served*> serve(const shared_statements& statements);
  expected<execution> execute_one(prepared& text,
                                  std::span<const value> values);
  template <class T>
  expected<T> seen(expected<T> result);

  connection_settings settings_;
  breaker breaker_;
  std::unique_ptr<open_file> file_;
  std::map<shared_statements, served> served_;
  /// Statements `execute` ran, by text, so that a repeated one is not parsed
  /// again.
  std::map<std::string, prepared, std::less<>> executed_;
  std::atomic<bool> lost_{false};
};

} // namespace inbox::sqlite
