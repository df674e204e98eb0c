#include "inbox/settings/queue.hpp"

#include <algorithm>
#include <utility>

namespace inbox::settings {

namespace {

/// The backoff of on_failure = "retry"; its keys mean nothing elsewhere.
void read_backoff(section& in, failure_policy& policy) {
  auto wait = in.inner("backoff");
  const auto retries = policy.what == failure_policy::kind::retry;
  if (wait && !retries)
    in.refuse("backoff", "backoff belongs to on_failure = \"retry\"; remove "
                         "one of the two");
  if (!retries)
    return;
  auto& how = policy.wait.emplace();
  if (!wait)
    return;
  wait->read("first", how.first, 0s);
  wait->read("factor", how.factor);
  wait->read("cap", how.cap, 0s);
  wait->read("jitter", how.jitter);
  in.take(wait->finish());
}

void read_policy(section& in, std::string_view key, failure_policy& into) {
  std::string text;
  in.read(key, text);
  if (!in.has(key) || text.empty())
    return;
  if (auto parsed = parse_policy(text))
    into = *parsed;
  else
    in.refuse(key, std::string{key} + ": " + parsed.error().message());
}

void read_policies(section& in, subscription_settings& how) {
  read_policy(in, "on_decode_failure", how.on_decode_failure);
  read_policy(in, "on_failure", how.on_failure);
  if (how.on_failure.what == failure_policy::kind::retry_after)
    in.refuse("on_failure", "on_failure is retry, drop, ack or stop; for a "
                            "delay write \"retry\" and a backoff");
  read_backoff(in, how.on_failure);
}

subscription_settings read_settings(section& in) {
  subscription_settings how;
  in.read("group", how.group);
  in.read("workers", how.workers, 1);
  in.read("batch", how.batch, 1);
  in.read("prefetch", how.prefetch, 1);
  in.read("timeout", how.timeout, 0s);
  in.read("poll_interval", how.poll_interval, 1ms);
  in.read("lease", how.lease, 1s);
  in.read("max_attempts", how.max_attempts, std::uint32_t{1});
  in.read("dead_letter", how.dead_letter);
  read_policies(in, how);
  in.read("drain_timeout", how.drain_timeout, 0s);
  return how;
}

std::vector<std::string> read_exec(section& in) {
  std::vector<std::string> exec;
  in.read("exec", exec);
  if (in.has("exec") && (exec.empty() || exec.front().empty()))
    in.refuse("exec", "exec is a program and its arguments, such as "
                      "[\"./send-mail\", \"--fast\"]");
  return exec;
}

/// The key a refusal of `check` is about; the single keys are in range here.
std::string_view key_of(const failure& refused, const section& in,
                        const table& described) {
  if (refused.code() == errc::declaration)
    return in.has("max_attempts") ? "max_attempts" : "dead_letter";
  return in.has("group") && !described.has(column_role::group) ? "group"
                                                               : "backoff";
}

/// The key a refusal of `table::make` is about.
std::string_view key_of(const failure& refused, const table_spec& spec) {
  if (refused.code() == errc::lease_on_database_clock)
    return "clock";
  const auto is_id = [](const table_column& c) {
    return c.role == column_role::id;
  };
  const auto has_id = std::any_of(spec.columns.begin(), spec.columns.end(),
                                  is_id);
  return spec.lock_key && has_id ? "lock_key" : "columns";
}

} // namespace

expected<queue_settings> read_queue(section& in) {
  bool all_columns = false;
  auto spec = read_table(in, all_columns);
  const auto how = read_settings(in);
  auto exec = read_exec(in);
  // Further rules presuppose that every key was readable.
  if (auto read = in.finish(); !read)
    return tl::make_unexpected(std::move(read).error());
  auto described = table::make(spec);
  if (!described) {
    in.refuse(key_of(described.error(), spec), described.error().message(),
              described.error().code());
    return tl::make_unexpected(in.finish().error());
  }
  if (in.has("lease") && described->kind() != form::lease)
    in.refuse("lease", "lease is set and no column of the table has the role "
                       "locked_until; remove lease or name the column");
  subscription queue{in.key(), std::move(*described), how};
  if (auto checked = check(queue); !checked)
    in.refuse(key_of(checked.error(), in, queue.description),
              checked.error().message(), checked.error().code());
  if (auto read = in.finish(); !read)
    return tl::make_unexpected(std::move(read).error());
  return queue_settings{std::move(queue), std::move(exec), all_columns,
                        std::move(spec), in.where()};
}

} // namespace inbox::settings
