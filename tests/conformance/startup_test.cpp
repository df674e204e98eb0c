#define CAF_SUITE conformance_startup
#include "inbox/test/conformance.hpp"

#include <cstdlib>
#include <filesystem>
#include <future>

#include "inbox/test/proxy.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

bool says(const failure& f, const std::string& part) {
  return f.to_string().find(part) != std::string::npos;
}

/// The server's own address on TCP, with a user and a password.
std::string over_tcp(stand& s, std::uint16_t port,
                     const std::string& user = "inbox:unused") {
  const auto database
    = s.db().ask("SELECT current_database()").at(0).at(0).value();
  return "postgres://" + user + "@127.0.0.1:" + std::to_string(port) + "/"
         + database + "?sslmode=disable";
}

std::uint16_t server_port(stand& s) {
  return static_cast<std::uint16_t>(
    std::stoi(s.db().ask("SHOW port").at(0).at(0).value()));
}

} // namespace

CONFORMANCE("C-100", "an unreachable database ends the start with a reason") {
  stand s{where};
  s.other_url = s.is_postgres() ? over_tcp(s, 1, "inbox:s3cret")
                                : "sqlite:/nowhere/at/all.db";
  const auto why = s.refusal_of(s.queue());
  CAF_CHECK(why.code() == errc::connect);
  CAF_CHECK(why.is_retryable());
  CAF_CHECK(!says(why, "s3cret"));
  CAF_CHECK(!s.is_postgres() || says(why, "127.0.0.1"));
}

CONFORMANCE("C-100", "a service that may wait starts when the database comes") {
  calls seen;
  stand s{where};
  s.add();
  s.how_served.wait_for_database = true;
  s.how_connected.connect_timeout = 200ms;
  std::unique_ptr<proxy> between;
  const auto file = s.file();
  if (s.is_postgres()) {
    between = std::make_unique<proxy>(server_port(s));
    between->stall_connections(true);
    s.other_url = over_tcp(s, between->port());
  } else {
    std::filesystem::rename(file, file + ".away");
  }
  auto& served = s.make_service();
  served.serve(s.queue({.poll_interval = 10ms}), seen.answering(ack()));
  auto started = std::async(std::launch::async, [&] { return served.start(); });
  CAF_CHECK(started.wait_for(900ms) == std::future_status::timeout);
  if (between)
    between->stall_connections(false);
  else
    std::filesystem::rename(file + ".away", file);
  CAF_CHECK(started.get().has_value());
  INBOX_UNTIL(s, seen.size() == 1 && s.count() == 0);
  CAF_CHECK(served.stop().has_value());
}

CONFORMANCE("C-100", "a refused login is told without the password") {
  if (!is_postgres(where))
    return; // a file asks for no login
  stand s{where};
  s.other_url = over_tcp(s, server_port(s), "locked:s3cret");
  const auto why = s.refusal_of(s.queue());
  CAF_CHECK(why.code() == errc::login_refused);
  CAF_CHECK(!says(why, "s3cret"));
  CAF_CHECK(s.whole_log().find("s3cret") == std::string::npos);
}

CONFORMANCE("C-103", "a missing table is named before the first claim") {
  stand s{where};
  s.db().run("DROP TABLE " + s.name());
  const auto why = s.refusal_of(s.queue());
  CAF_CHECK(why.code() == errc::schema);
  CAF_CHECK(says(why, "jobs"));
  CHECK_SAME(why.subscription(), "emails");
  CAF_CHECK(!why.statement().empty());
  CAF_CHECK(!why.is_retryable());
}

CONFORMANCE("C-103", "a missing column is named") {
  stand s{where};
  s.db().run("ALTER TABLE " + s.name() + " RENAME COLUMN attempt TO tries");
  const auto why = s.refusal_of(s.queue());
  CAF_CHECK(why.code() == errc::schema);
  CAF_CHECK(says(why, "attempt"));
  CAF_CHECK(says(why, "jobs"));
}

CONFORMANCE("C-103", "a dead-letter table that is missing is named") {
  stand s{where, {.group = false}};
  const auto why = s.refusal_of(
    s.queue({.max_attempts = 2, .dead_letter = s.name("nowhere")}));
  CAF_CHECK(why.code() == errc::schema);
  CAF_CHECK(says(why, "nowhere"));
}

CONFORMANCE("C-104", "a column of an impossible type is refused") {
  const auto column_as = [&](const char* column, const char* type) {
    stand s{where};
    s.db().run("ALTER TABLE " + s.name() + " DROP COLUMN " + std::string{column}
               + ", ADD COLUMN " + column + " " + type);
    const auto why = s.refusal_of(s.queue());
    CAF_MESSAGE(why.to_string());
    CAF_CHECK(why.code() == errc::schema);
    // Postgres names the column or, for an operator, the types.
    CAF_CHECK(says(why, column) || says(why, type));
    CAF_CHECK(says(why, "jobs") && !why.statement().empty());
  };
  column_as("attempt", "text");
  column_as("retry_after", "bigint");
  column_as("payload", "integer");
  if (is_lease(where))
    column_as("locked_until", "bigint");
}

CONFORMANCE("C-105", "half a retry declaration is refused") {
  stand s{where};
  const auto cap = s.refusal_of(s.queue({.max_attempts = 3}));
  CAF_CHECK(cap.code() == errc::declaration);
  CAF_CHECK(says(cap, "dead_letter") && says(cap, "emails"));
  const auto target = s.refusal_of(s.queue({.dead_letter = "dead"}));
  CAF_CHECK(target.code() == errc::declaration);
  CAF_CHECK(says(target, "max_attempts") && says(target, "emails"));
  stand bare{where, {.group = false, .attempt = false}};
  const auto uncounted = bare.refusal_of(
    bare.queue({.max_attempts = 3, .dead_letter = "dead"}));
  CAF_CHECK(uncounted.code() == errc::declaration);
  CAF_CHECK(says(uncounted, "attempt"));
  stand groupless{where, {.group = false}};
  const auto dotted = groupless.refusal_of(
    groupless.queue({.max_attempts = 3, .dead_letter = "a.b.c"}));
  CAF_CHECK(dotted.code() == errc::declaration);
  CAF_CHECK(says(dotted, "a.b.c"));
}

CONFORMANCE("C-108", "a form that is not served is refused, not replaced") {
  stand s{where};
  const auto spec_of = [&] {
    table_spec t;
    t.schema = s.is_postgres() ? s.name().substr(0, s.name().find('.')) : "";
    t.name = "jobs";
    t.columns = {{"id", column_role::id, true, column_type::integer},
                 {"name", column_role::group, false, column_type::text},
                 {"payload", column_role::payload, false, column_type::bytes}};
    return t;
  };
  auto keyed = spec_of();
  keyed.lock_key = "jobs-{id}";
  CAF_CHECK(s.refusal_of({"emails", unbox(table::make(keyed)), {}}).code()
            == errc::unsupported_form);
  auto ordered = spec_of();
  ordered.fifo = true;
  ordered.columns.push_back(
    {"retry_after", column_role::retry_after, false, column_type::time});
  CAF_CHECK(s.refusal_of({"emails", unbox(table::make(ordered)), {}}).code()
            == errc::unsupported_fifo);
  if (s.is_postgres())
    return;
  const auto locked = s.refusal_of(
    {"emails", unbox(table::make(spec_of())), {}});
  CAF_CHECK(locked.code() == errc::unsupported_form);
  CAF_CHECK(says(locked, "locked_until"));
}

CONFORMANCE("C-110", "a queue is served once by a service") {
  calls seen;
  stand s{where};
  auto& served = s.make_service();
  served.serve(s.queue({}, "emails"), seen.answering(ack()));
  served.serve(s.queue({.group = "emails"}, "again"), seen.answering(ack()));
  const auto why = refusal(served.start());
  CAF_CHECK(why.code() == errc::already_subscribed);
  CAF_CHECK(says(why, "jobs") && says(why, "emails"));
  stand whole{where, {.group = false}};
  auto& other = whole.make_service();
  other.serve(whole.queue({}, "one"), seen.answering(ack()));
  other.serve(whole.queue({}, "two"), seen.answering(ack()));
  CAF_CHECK(refusal(other.start()).code() == errc::already_subscribed);
  // Two groups of one table are two queues.
  auto& both = s.make_service();
  both.serve(s.queue({}, "emails"), seen.answering(ack()));
  both.serve(s.queue({}, "other"), seen.answering(ack()));
  CAF_CHECK(both.start().has_value());
}

CONFORMANCE("C-113", "after its end a service takes no rows") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue(), seen.answering(ack()));
  CAF_CHECK(refusal(served.enqueue("emails", {.headers = {{"a", "b"}}})).code()
            == errc::missing_role);
  CAF_CHECK(served.stop().has_value());
  CAF_CHECK(refusal(served.enqueue("emails", new_row{})).code()
            == errc::closed);
  CHECK_SAME(s.count(), 0);
}

CONFORMANCE("C-113", "a failed insert names queue and table") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  INBOX_UNTIL(s, s.figures(served).empty_claims == 1);
  s.db().run("ALTER TABLE " + s.name() + " RENAME TO elsewhere");
  const auto why = refusal(served.enqueue("emails", new_row{}));
  CHECK_SAME(why.subscription(), "emails");
  CAF_CHECK(says(why, "jobs"));
}

CONFORMANCE("C-115", "failed claims are a second apart and end by themselves") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.poll_interval = 20ms}),
                         seen.answering(ack()));
  INBOX_UNTIL(s, s.figures(served).empty_claims >= 2);
  s.db().run("ALTER TABLE " + s.name() + " RENAME TO away");
  std::vector<time_point> failed;
  INBOX_UNTIL(s, [&] {
    if (s.figures(served).failed_claims > failed.size())
      failed.push_back(host_now());
    return failed.size() == 3;
  }());
  CAF_CHECK(failed[2] - failed[1] > 900ms);
  // C-112: the failing statement or event is named.
  CAF_CHECK(s.logged("jobs", log_level::warning) >= 1);
  s.db().run("ALTER TABLE " + s.name("away") + " RENAME TO jobs");
  s.add();
  INBOX_UNTIL(s, seen.size() == 1 && s.count() == 0);
}

CONFORMANCE("D8", "a table without its claims' index is told of once a start") {
  calls seen;
  stand s{where};
  s.stop(s.serve(s.queue(), seen.answering(ack())));
  CAF_CHECK_EQUAL(s.logged("has no index"), 0u);
  s.db().run("DROP INDEX " + s.name("jobs_claim"));
  s.db().run("CREATE INDEX other ON " + s.name()
             + (s.is_postgres() ? " (retry_after, name)" : " (name, id)"));
  s.stop(s.serve(s.queue(), seen.answering(ack())));
  CAF_CHECK_EQUAL(s.logged("has no index", log_level::warning), 1u);
  const auto log = s.whole_log();
  const auto create = log.find("CREATE INDEX");
  CAF_REQUIRE(create != std::string::npos);
  s.db().run(log.substr(create, log.find(';', create) - create));
  s.stop(s.serve(s.queue(), seen.answering(ack())));
  CAF_CHECK_EQUAL(s.logged("has no index"), 1u);
}

CONFORMANCE("C-117", "a pool's description holds no credential and no path") {
  stand s{where};
  if (s.is_postgres())
    s.other_url = over_tcp(s, 5432, "someone:s3cret");
  const auto text = unbox(s.make_pool().to)->description();
  CHECK_SAME(text, s.is_postgres() ? "postgres at 127.0.0.1:5432" : "sqlite");
}

CONFORMANCE("B20", "clocks too far apart for the lease are refused") {
  for (const auto skew : {12s, -12s}) {
    if (!is_lease(where))
      break; // a row lock reads no clock
    stand s{where};
    s.how_served.clock = [skew] { return host_now() + skew; };
    const auto why = s.refusal_of(s.queue({.lease = 30s}));
    CAF_CHECK(why.code() == errc::clock_skew);
    CHECK_SAME(why.subscription(), "emails");
  }
  calls seen;
  stand s{where};
  s.how_served.clock = [] { return host_now() + 5s; };
  s.add();
  const auto& served = s.serve(s.queue({.lease = 30s}), seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  const auto skew = served.snapshot().clock_skew;
  CAF_CHECK(skew > 4s && skew < 6s);
}
