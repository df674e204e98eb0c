#define CAF_SUITE postgres_logins
#include "inbox/test/postgres.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

CAF_TEST_FIXTURE_SCOPE(postgres_logins_tests, test::postgres_fixture)

CAF_TEST(a login that is refused names no password) {
  if (is_skipped())
    return;
  run("DROP ROLE IF EXISTS nobody_in; CREATE ROLE nobody_in NOLOGIN "
      "PASSWORD 'other'");
  const struct {
    const char* user;
    const char* database;
    errc code;
  } cases[] = {
    {"nobody_in", "", errc::login_refused},
    {"not_there", "", errc::login_refused},
    {"", "no_such_database", errc::login_refused},
  };
  for (const auto& c : cases) {
    auto a = where();
    auto at = a.url.find("?");
    const auto rest = at == std::string::npos ? "" : a.url.substr(at);
    std::string user = *c.user ? c.user : "inbox";
    a.url = "postgres://" + user + ":hunter2%21@/"
            + (*c.database ? c.database : "inbox") + rest;
    a = unbox(postgres::read_address(a.url));
    postgres::connection refused{a, {}};
    const auto why = refusal(refused.open());
    CAF_MESSAGE(why.to_string());
    CAF_CHECK_EQUAL(why.code(), c.code);
    CAF_CHECK(why.to_string().find("hunter2") == std::string::npos);
  }
  run("DROP ROLE nobody_in");
}

CAF_TEST(a wrong password is refused and not shown) {
  if (is_skipped())
    return;
  // The tests' own server asks this one role for a password.
  run("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'right'");
  const auto open = [this](const std::string& user) {
    const auto url = where().url;
    auto changed = "postgres://" + user + "@/inbox"
                   + url.substr(std::min(url.find('?'), url.size()));
    postgres::connection c{unbox(postgres::read_address(changed)), {}};
    return c.open();
  };
  CAF_CHECK(open("locked:right").has_value());
  auto why = refusal(open("locked:hunter2"));
  CAF_CHECK_EQUAL(why.code(), errc::login_refused);
  CAF_CHECK_EQUAL(why.native(), "28P01");
  CAF_CHECK(why.to_string().find("hunter2") == std::string::npos);
  why = refusal(open("locked")); // and none given
  CAF_CHECK_EQUAL(why.code(), errc::login_refused);
  run("DROP ROLE locked");
}

CAF_TEST(a server that is not there is reported as such) {
  if (is_skipped())
    return;
  postgres::connection c{
    unbox(postgres::read_address("postgres://u:secret@127.0.0.1:1/x")), {}};
  const auto why = refusal(c.open());
  CAF_MESSAGE(why.to_string());
  CAF_CHECK_EQUAL(why.code(), errc::connect);
  CAF_CHECK(why.is_retryable());
  CAF_CHECK(why.to_string().find("secret") == std::string::npos);
}

CAF_TEST_FIXTURE_SCOPE_END()
