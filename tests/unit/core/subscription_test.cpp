#define CAF_SUITE subscription
#include "inbox/test/unit.hpp"

#include <cmath>

#include "inbox/subscription.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace {

using role = column_role;

/// A description with these roles, each column named after its role.
table jobs(std::initializer_list<column_role> roles) {
  table_spec spec;
  spec.schema = "app";
  spec.name = "jobs";
  for (const auto r : roles)
    spec.columns.push_back({std::string{to_string(r)}, r});
  return unbox(table::make(spec));
}

subscription emails(table of, void (*change)(subscription_settings&)) {
  subscription s{"emails", std::move(of), {}};
  change(s.settings);
  return s;
}

const auto everything = jobs(
  {role::id, role::group, role::attempt, role::locked_until});
const auto groupless = jobs({role::id, role::attempt});
const auto uncounted = jobs({role::id, role::group});

} // namespace

CAF_TEST(the defaults serve every form) {
  for (const auto& t : {everything, groupless, uncounted})
    unbox(check(emails(t, [](auto&) {})));
}

CAF_TEST(C-127 a dead letter goes to a group where there is one and to a table else) {
  const auto declare = [](subscription_settings& s) {
    s.max_attempts = 3;
    s.dead_letter = "emails.dead";
  };
  const auto grouped = emails(everything, declare);
  unbox(check(grouped));
  CAF_CHECK_EQUAL(grouped.dead_letter_group(), "emails.dead");
  CAF_CHECK(!grouped.dead_letter_table());
  const auto tabled = emails(groupless, declare);
  unbox(check(tabled));
  CAF_CHECK(!tabled.dead_letter_group());
  CAF_CHECK_EQUAL(tabled.dead_letter_table()->schema(), "emails");
}

CAF_TEST(C-105 half a retry declaration is refused and the missing half is named) {
  const struct {
    subscription broken;
    const char* message;
  } cases[] = {
    {emails(everything, [](auto& s) { s.max_attempts = 3; }),
     "max_attempts is set without dead_letter; say where a row goes after its "
     "last attempt"},
    {emails(everything, [](auto& s) { s.dead_letter = "dead"; }),
     "dead_letter is set without max_attempts; say how many attempts a row "
     "has"},
    {emails(uncounted,
            [](auto& s) {
              s.max_attempts = 3;
              s.dead_letter = "dead";
            }),
     "max_attempts is set and no column of the table has the role attempt; "
     "name the column that counts attempts"},
    {emails(groupless,
            [](auto& s) {
              s.max_attempts = 3;
              s.dead_letter = "a.b.c";
            }),
     "dead_letter names the table that given up rows move to, as there is no "
     "group column: \"a.b.c\" holds more than one dot; write \"table\" or "
     "\"schema.table\""},
    {emails(groupless,
            [](auto& s) {
              s.max_attempts = 3;
              s.dead_letter = "app.jobs";
            }),
     "dead_letter names the queue's own table; name another table with the "
     "same columns"},
    {emails(everything,
            [](auto& s) {
              s.max_attempts = 3;
              s.dead_letter = "emails";
            }),
     "dead_letter names the queue's own group, which would serve the row "
     "again; name another group"},
    {emails(everything,
            [](auto& s) {
              s.max_attempts = 3;
              s.dead_letter = "";
            }),
     "dead_letter is empty; name the group that given up rows move to"},
  };
  for (const auto& c : cases) {
    const auto refused = refusal(check(c.broken));
    CAF_CHECK_EQUAL(refused.message(), c.message);
    CAF_CHECK(refused.code() == errc::declaration);
    CAF_CHECK_EQUAL(refused.subscription(), "emails");
    CAF_CHECK_EQUAL(refused.table(), "app.jobs");
  }
}

CAF_TEST(C-017 a setting out of its range or without its column is refused) {
  const struct {
    subscription broken;
    const char* message;
  } cases[] = {
    {emails(everything, [](auto& s) { s.workers = 0; }),
     "workers is 0; at least 1 is needed"},
    {emails(everything, [](auto& s) { s.batch = 0; }),
     "batch is 0; at least 1 is needed"},
    {emails(everything, [](auto& s) { s.prefetch = 0; }),
     "prefetch is 0; at least 1 is needed"},
    {emails(everything, [](auto& s) { s.poll_interval = 0s; }),
     "poll_interval is 0s; it lies between 1ms and 3650d"},
    {emails(everything, [](auto& s) { s.lease = 999ms; }),
     "lease is 999ms; it lies between 1s and 3650d"},
    {emails(everything, [](auto& s) { s.timeout = -1s; }),
     "timeout is -1s; it lies between 0s and 3650d"},
    {emails(groupless, [](auto& s) { s.lease = 10s; }),
     "lease is set and no column of the table has the role locked_until; "
     "remove lease or name the column"},
    {emails(groupless, [](auto& s) { s.group = "other"; }),
     "group is set and no column of the table has the role group; remove group "
     "or name the column"},
    {emails(everything,
            [](auto& s) {
              s.max_attempts = 0;
              s.dead_letter = "dead";
            }),
     "max_attempts is 0; at least 1 is needed"},
    {emails(everything, [](auto& s) { s.on_failure.wait->factor = 0.5; }),
     "backoff.factor is 0.500000; it is a number of 1 or more"},
    {emails(everything, [](auto& s) { s.on_failure.wait->factor = NAN; }),
     "backoff.factor is nan; it is a number of 1 or more"},
    {emails(everything, [](auto& s) { s.on_failure.wait->jitter = 1.5; }),
     "backoff.jitter is 1.500000; it lies between 0 and 1"},
    {emails(everything, [](auto& s) { s.on_failure.wait->cap = 1ms; }),
     "backoff.cap is 1ms; it lies between 1s and 3650d"},
  };
  for (const auto& c : cases) {
    const auto refused = refusal(check(c.broken));
    CAF_CHECK_EQUAL(refused.message(), c.message);
    CAF_CHECK(refused.code() == errc::invalid_setting);
    CAF_CHECK_EQUAL(refused.subscription(), "emails");
  }
}
