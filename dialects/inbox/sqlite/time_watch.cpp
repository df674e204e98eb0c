#include "inbox/sqlite/time_watch.hpp"

#include "inbox/sqlite/times.hpp"

namespace inbox::sqlite {

namespace {

using std::chrono::steady_clock;

/// A look may take this share of the time, so that a long one is rarer.
constexpr int share_of_time = 50;

/// Unreadable rows that are told of once each, at most.
constexpr std::size_t remembered = 10'000;

/// Further ahead than any delay this library writes.
constexpr duration far_ahead = max_delay + std::chrono::hours{24 * 365};

/// Changes whenever anybody writes to the file.
expected<std::int64_t> version_of(open_file& in) {
  auto asked = prepared::make(in, "PRAGMA data_version");
  if (!asked)
    return tl::make_unexpected(asked.error());
  if (auto row = asked->step(); !row)
    return tl::make_unexpected(row.error());
  return asked->at(0).as_integer().value_or(0)
         + sqlite3_total_changes64(in.raw());
}

/// Ids and due times of waiting rows. Binds group.
std::string waiting(const table& t) {
  const dialect quoting;
  const auto due = quoting.quote(t.find(column_role::retry_after)->name);
  std::string from;
  if (!t.name().schema().empty())
    from = quoting.quote(t.name().schema()) + ".";
  auto text = "SELECT " + quoting.quote(t.id().name) + ", " + due + " FROM "
              + from + quoting.quote(t.name().name()) + " WHERE " + due
              + " IS NOT NULL";
  if (const auto* group = t.find(column_role::group))
    text += " AND " + quoting.quote(group->name) + " = ?1";
  if (const auto* processed = t.find(column_role::processed_at))
    text += " AND " + quoting.quote(processed->name) + " IS NULL";
  return text;
}

/// Those that a plain claim takes for not due yet, among them every one that
/// another form of time may hide: where the date lies further off than any
/// offset, its prefix sorts right in every form; numbers sort below all text,
/// and what is no time above all that we write.
/// Binds group, now, now + 2 days, further ahead than any delay.
std::string waiting_nearby(const table& t) {
  const auto due = dialect{}.quote(t.find(column_role::retry_after)->name);
  return waiting(t) + " AND (" + due + " < '' OR (" + due + " > ?2 AND " + due
         + " < ?3) OR " + due + " >= ?4)";
}

} // namespace

/// Ids and due times of rows that a look found.
class time_watch::queue_rows {
public:
  /// @param values one for each placeholder, in order.
  static expected<queue_rows> ask(open_file& in, std::string_view sql,
                                  const std::vector<value>& values) {
    auto text = prepared::make(in, sql);
    if (!text)
      return tl::make_unexpected(text.error());
    for (int n = 1; n <= text->placeholders(); ++n)
      if (auto done = text->bind(n, values[static_cast<std::size_t>(n - 1)]);
          !done)
        return tl::make_unexpected(done.error());
    return queue_rows{std::move(*text)};
  }

  expected<bool> next() { return text_.step(); }
  value_view id() const { return text_.at(0); }
  value_view time() const { return text_.at(1); }

private:
  explicit queue_rows(prepared text) : text_{std::move(text)} {}
  prepared text_;
};

time_watch::time_watch(shared_statements of, settings s)
  : of_{std::move(of)}, settings_{std::move(s)} {}

expected<time_shape> time_watch::look(open_file& in, time_point now) {
  if (!of_->description().has(column_role::retry_after) || !is_due(in))
    return needed_;
  // Not cut off by the statement time-out: a look that never ends would break
  // every session that tries it.
  in.start_long_call();
  const auto began = steady_clock::now();
  expected<void> looked;
  if (needed_ == time_shape::plain)
    looked = has_looked_ ? look_nearby(in, now) : look_through(in);
  if (looked && needed_ == time_shape::exact)
    looked = report_unreadable(in);
  in.start_call();
  if (!looked)
    return tl::make_unexpected(looked.error());
  has_looked_ = true;
  const auto ended = steady_clock::now();
  next_look_ = ended
               + std::max<steady_clock::duration>(
                 settings_.every, share_of_time * (ended - began));
  return needed_;
}

bool time_watch::is_due(open_file& in) {
  if (has_looked_ && steady_clock::now() < next_look_)
    return false;
  const auto version = version_of(in);
  if (has_looked_ && version && *version == seen_version_)
    return false;
  seen_version_ = version.value_or(-1);
  return true;
}

/// In this process: a pattern in SQL costs several times as much for a row.
expected<void> time_watch::look_through(open_file& in) {
  return look_at(
    queue_rows::ask(in, waiting(of_->description()), {of_->of().group()}));
}

expected<void> time_watch::look_nearby(open_file& in, time_point now) {
  return look_at(queue_rows::ask(
    in, waiting_nearby(of_->description()),
    {of_->of().group(), now, now + std::chrono::days{2}, now + far_ahead}));
}

expected<void> time_watch::look_at(expected<queue_rows> rows) {
  if (!rows)
    return tl::make_unexpected(rows.error());
  for (auto row = rows->next();; row = rows->next()) {
    if (!row)
      return tl::make_unexpected(row.error());
    if (!*row)
      return {};
    if (!is_plain_time(rows->time())) {
      on_foreign(rows->id(), rows->time());
      return {};
    }
  }
}

expected<void> time_watch::report_unreadable(open_file& in) {
  auto rows = queue_rows::ask(
    in, dialect{}.find_unreadable_time(of_->description())->text,
    {of_->of().group()});
  if (!rows)
    return tl::make_unexpected(rows.error());
  for (auto row = rows->next();; row = rows->next()) {
    if (!row)
      return tl::make_unexpected(row.error());
    if (!*row)
      return {};
    if (reported_.size() < remembered
        && reported_.insert(rows->id().to_display()).second)
      tell(log_level::error,
           "a row's time cannot be read; the row is not run until it is "
           "written anew",
           rows->id(), rows->time());
  }
}

void time_watch::on_foreign(const value_view& id, const value_view& seen) {
  if (needed_ == time_shape::exact)
    return;
  needed_ = time_shape::exact;
  next_look_ = {};
  tell(log_level::info,
       "a time is not written as SQLite writes it; times are compared by its "
       "date functions from now on",
       id, seen);
}

void time_watch::tell(log_level level, std::string text, const value_view& id,
                      const value_view& seen) {
  if (!settings_.log)
    return;
  const auto& t = of_->description();
  settings_.log({level,
                 std::move(text),
                 {{"queue", of_->of().name},
                  {"table", t.name().qualified()},
                  {"column", t.find(column_role::retry_after)->name},
                  {"id", id.to_display()},
                  {"value", seen.to_display()}}});
}

} // namespace inbox::sqlite
