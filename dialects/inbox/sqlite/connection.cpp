#include "inbox/sqlite/connection.hpp"

#include "inbox/sqlite/trip_run.hpp"

namespace inbox::sqlite {

namespace {

/// RETURNING came with 3.35.
constexpr int oldest_version = 3'035'000;

/// Texts `execute` remembers at most.
constexpr std::size_t remembered_texts = 32;

expected<std::string> text_of(open_file& in, std::string_view query) {
  auto asked = prepared::make(in, query);
  if (!asked)
    return tl::make_unexpected(asked.error());
  auto row = asked->step();
  if (!row)
    return tl::make_unexpected(row.error());
  return *row ? asked->at(0).to_display() : std::string{};
}

expected<server_facts> facts_of(open_file& in, bool wal) {
  auto mode = text_of(in, wal ? "PRAGMA journal_mode = WAL"
                              : "PRAGMA journal_mode");
  if (!mode)
    return tl::make_unexpected(mode.error());
  if (wal && *mode != "wal" && *mode != "memory")
    return refuse(errc::invalid_setting,
                  "the file cannot be switched to WAL and stays in journal "
                  "mode "
                    + *mode
                    + "; a network file system may be why, "
                      "serve it without wal = true");
  server_facts facts{"SQLite", sqlite3_libversion()};
  if (*mode != "wal" && *mode != "memory")
    facts.notes.push_back("the file is in journal mode " + *mode
                          + ", in which readers and writers wait for each "
                            "other; wal = true switches it to WAL");
  return facts;
}

expected<void> bind_values(prepared& text, std::span<const value> values) {
  const auto wanted = static_cast<std::size_t>(text.placeholders());
  if (wanted != values.size())
    return refuse(errc::statement, "the statement has " + std::to_string(wanted)
                                     + " placeholders and "
                                     + std::to_string(values.size())
                                     + " values were given");
  int n = 0;
  for (const auto& v : values)
    if (auto bound = text.bind(++n, v); !bound)
      return bound;
  return {};
}

expected<shared_rows> read_rows(prepared& text) {
  std::vector<std::string> names;
  for (int c = 0; c < text.columns(); ++c)
    names.emplace_back(text.column_name(c));
  row_set::builder rows{std::move(names)};
  for (auto row = text.step();; row = text.step()) {
    if (!row)
      return tl::make_unexpected(row.error());
    if (!*row)
      break;
    for (int c = 0; c < text.columns(); ++c)
      rows.add(text.at(c));
  }
  text.reset();
  return std::move(rows).finish();
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

} // namespace

connection::~connection() {
  // Statements end before their file.
  served_.clear();
  executed_.clear();
}

template <class T>
expected<T> connection::seen(expected<T> result) {
  if (!result && result.error().is_session_lost())
    lost_ = true;
  return result;
}

expected<server_facts> connection::open() {
  if (sqlite3_libversion_number() < oldest_version)
    return refuse(errc::server_too_old,
                  std::string{"SQLite 3.35 or later is needed, this is "}
                    + sqlite3_libversion());
  auto file = open_file::open(settings_.where, settings_.bounds, breaker_);
  if (!file)
    return tl::make_unexpected(file.error());
  file_ = std::move(*file);
  return seen(facts_of(*file_, settings_.wal));
}

expected<void> connection::start_call() {
  if (!file_ || is_lost())
    return refuse(errc::connection_lost,
                  file_ ? "the session has ended" : "the session is not open");
  file_->start_call();
  return {};
}

expected<served*> connection::serve(const shared_statements& statements) {
  if (auto at = served_.find(statements); at != served_.end())
    return &at->second;
  auto made = served::make(*file_, statements, settings_.watch);
  if (!made)
    return tl::make_unexpected(made.error());
  return &served_.emplace(statements, std::move(*made)).first->second;
}

expected<void> connection::prepare(const shared_statements& statements) {
  if (auto ready = start_call(); !ready)
    return ready;
  if (!file_->is_writable())
    return refuse(errc::read_only,
                  "the database file may not be written by this user, and "
                  "serving a queue writes to it; change its owner or its mode");
  auto made = seen(serve(statements));
  return made ? expected<void>{} : tl::make_unexpected(made.error());
}

trip_result connection::run(const trip& request, time_point now) {
  auto ready = start_call();
  if (ready && file_->in_transaction())
    ready = refuse(errc::would_block_itself,
                   "the session is in a transaction already");
  auto with = ready.and_then([&] { return serve(request.statements); });
  if (!with)
    return all_failed(request, with.error());
  auto result = trip_run{*file_, **with, request, now}.run();
  if (result.session_lost)
    lost_ = true;
  return result;
}

expected<execution> connection::execute(std::string_view text,
                                        std::span<const value> values) {
  if (auto ready = start_call(); !ready)
    return tl::make_unexpected(ready.error());
  if (auto at = executed_.find(text); at != executed_.end())
    return seen(execute_one(at->second, values));
  for (auto rest = text;;) {
    auto made = prepared::make(*file_, rest, &rest);
    if (!made)
      return tl::make_unexpected(failure{made.error()}.at(text));
    const bool is_last = is_blank(rest);
    if (!is_last && !values.empty())
      return refuse(errc::statement, "one statement takes the values, and the "
                                     "text holds several");
    auto done = seen(execute_one(*made, values));
    if (!done || !is_last) {
      if (!done)
        return done;
      continue;
    }
    if (executed_.size() >= remembered_texts)
      executed_.clear();
    executed_.emplace(text, std::move(*made));
    return done;
  }
}

expected<execution> connection::execute_one(prepared& text,
                                            std::span<const value> values) {
  if (text.is_empty())
    return execution{std::make_shared<row_set>(), 0};
  if (auto bound = bind_values(text, values); !bound)
    return tl::make_unexpected(bound.error());
  expected<write_turn> turn;
  if (!text.is_read_only() && !file_->in_transaction())
    turn = file_->enter_queue();
  if (!turn)
    return tl::make_unexpected(turn.error());
  const auto before = sqlite3_total_changes64(file_->raw());
  auto rows = read_rows(text);
  if (!rows)
    return tl::make_unexpected(rows.error());
  const bool wrote = sqlite3_total_changes64(file_->raw()) != before;
  return execution{
    std::move(*rows),
    wrote ? static_cast<std::uint64_t>(sqlite3_changes64(file_->raw())) : 0};
}

expected<void> connection::begin() {
  if (auto ready = start_call(); !ready)
    return ready;
  if (file_->in_transaction())
    return refuse(errc::would_block_itself,
                  "the session is in a transaction already");
  return seen(file_->begin());
}

expected<void> connection::commit() {
  if (auto ready = start_call(); !ready)
    return ready;
  return seen(file_->commit());
}

void connection::roll_back() noexcept {
  if (file_)
    file_->roll_back();
}

/// SQLite runs in this process and so reads the host's clock.
expected<time_point> connection::clock() {
  if (auto ready = start_call(); !ready)
    return tl::make_unexpected(ready.error());
  return host_now();
}

bool connection::is_lost() const noexcept {
  return lost_ || breaker_.is_broken();
}

} // namespace inbox::sqlite
