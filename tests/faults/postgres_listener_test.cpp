#define CAF_SUITE postgres_listener
#include "proxy_fixture.hpp"

#include "inbox/announcement.hpp"
#include "inbox/postgres/listener.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace {

struct listening : test::proxy_fixture {
  /// A table of that name; nothing creates it.
  inbox::table named(const std::string& name, const std::string& in = {}) {
    table_spec spec;
    spec.schema = in;
    spec.name = name;
    spec.columns = {{"id", column_role::id},
                    {"name", column_role::group},
                    {"payload", column_role::payload}};
    return unbox(inbox::table::make(std::move(spec)));
  }

  /// Listens on a table's channel, over the server's socket.
  std::unique_ptr<listener> hears(const inbox::table& of) {
    const std::string channels[] = {unbox(speaks.channel(of))};
    auto on = std::make_unique<postgres::listener>(where(), session_settings{});
    unbox(on->open(channels));
    return on;
  }

  void tell(const inbox::table& of, std::string_view group) {
    unbox(announce(db(), speaks, of, group));
  }

  postgres::dialect speaks;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_listener_tests, listening)

CAF_TEST(B39 every legal name is heard as it is written) {
  if (is_skipped())
    return;
  const std::string names[]{"Jobs",
                            "my-jobs",
                            "select",
                            "a\"b",
                            "gr\xc3\xb6\xc3\x9f"
                            "e",
                            std::string(63, 'x')};
  for (const auto& name : names) {
    CAF_MESSAGE(name);
    const auto of = named(name);
    const auto on = hears(of);
    tell(of, "emails");
    const auto come = unbox(on->wait(10s));
    CAF_REQUIRE_EQUAL(come.size(), 1u);
    CAF_CHECK_EQUAL(come[0].channel, name);
    CAF_CHECK_EQUAL(come[0].payload, "emails");
  }
  const auto of = named("Jobs", "app");
  const auto on = hears(of);
  tell(of, "");
  const auto come = unbox(on->wait(10s));
  CAF_REQUIRE_EQUAL(come.size(), 1u);
  CAF_CHECK_EQUAL(come[0].channel, "app.Jobs");
  CAF_CHECK(come[0].payload.empty());
}

CAF_TEST(B39 a channel of more than 63 bytes is refused) {
  if (is_skipped())
    return;
  const auto why = refusal(speaks.channel(named(std::string(61, 'x'), "ab")));
  CAF_CHECK_EQUAL(why.code(), errc::identifier_too_long);
  CAF_CHECK_EQUAL(why.table(), "ab." + std::string(61, 'x'));
  CAF_CHECK(speaks.channel(named(std::string(60, 'x'), "ab")).has_value());
}

CAF_TEST(B41 a group too long to announce is announced as any) {
  if (is_skipped())
    return;
  const auto of = named("jobs");
  const auto on = hears(of);
  for (const std::size_t octets : {7999, 8000, 9000}) {
    tell(of, std::string(octets, 'g'));
    const auto come = unbox(on->wait(10s));
    CAF_REQUIRE_EQUAL(come.size(), 1u);
    CAF_CHECK_EQUAL(come[0].payload.size(), octets == 7999 ? 7999u : 0u);
  }
}

CAF_TEST(B40 the trigger announces inserts of any kind - once a group) {
  if (is_skipped())
    return;
  const auto& of = statements->description();
  const auto on = hears(of);
  run(speaks.announcing_trigger(of));
  run("INSERT INTO " + table
      + " (name, payload) SELECT CASE n % 2 WHEN 0 THEN "
        "'even' ELSE 'odd' END, '' FROM generate_series(1, 10000) AS n");
  std::vector<std::string> groups;
  while (groups.size() < 2)
    for (const auto& n : unbox(on->wait(10s)))
      groups.push_back(n.payload);
  std::ranges::sort(groups);
  CAF_CHECK_EQUAL(groups, (std::vector<std::string>{"even", "odd"}));
  CAF_CHECK(unbox(on->wait(100ms)).empty());
  run("INSERT INTO " + table
      + " (name, payload) VALUES (repeat('g', 9000), '')");
  CAF_CHECK(unbox(on->wait(10s)).at(0).payload.empty());
}

CAF_TEST(B43 a listener that waits is in no transaction) {
  if (is_skipped())
    return;
  const auto on = hears(named("jobs"));
  CAF_CHECK(unbox(on->wait(50ms)).empty());
  CAF_CHECK_EQUAL(one("SELECT state FROM pg_stat_activity WHERE query = "
                      "'SELECT 1' AND pid <> pg_backend_pid()"),
                  "idle");
}

CAF_TEST(B37 a server that went silent is noticed) {
  if (is_skipped())
    return;
  const std::string channels[] = {"jobs"};
  postgres::listener on{
    unbox(postgres::read_address("postgres://inbox:pass@127.0.0.1:"
                                 + std::to_string(between->port())
                                 + "/inbox?sslmode=disable")),
    hasty};
  unbox(on.open(channels));
  CAF_CHECK(unbox(on.wait(50ms)).empty());
  between->arm(test::fault::stall);
  CAF_CHECK_EQUAL(refusal(on.wait(50ms)).code(), errc::timed_out);
}

CAF_TEST(an interrupt ends the wait) {
  if (is_skipped())
    return;
  const auto on = hears(named("jobs"));
  std::thread other{[&] { on->interrupt(); }};
  CAF_CHECK_EQUAL(refusal(on->wait(1h)).code(), errc::connection_lost);
  other.join();
}

CAF_TEST_FIXTURE_SCOPE_END()
