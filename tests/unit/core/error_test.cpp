#define CAF_SUITE error
#include "inbox/test/unit.hpp"

#include <set>
#include <sstream>

#include "inbox/error.hpp"

using namespace inbox;

CAF_TEST(every code has a name of its own) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(errc::closed); ++code)
    CAF_CHECK(names.insert(to_string(static_cast<errc>(code))).second);
  CAF_CHECK(!names.contains("unknown"));
}

CAF_TEST(the place nearest to the fault names it) {
  const auto why = failure{errc::statement, "no such column"}
                     .at("claim")
                     .at("later")
                     .on_table("app.jobs")
                     .in_subscription("emails")
                     .with_native("42703");
  CAF_CHECK_EQUAL(why.statement(), "claim");
  CAF_CHECK_EQUAL(why.to_string(),
                  "emails: table app.jobs: claim: no such column (42703)");
}

CAF_TEST(a failure without places is its message) {
  std::ostringstream out;
  out << failure{errc::closed, "the service has stopped"};
  CAF_CHECK_EQUAL(out.str(), "the service has stopped");
}

CAF_TEST(a code tells what may be done about it) {
  const failure busy{errc::busy, ""};
  CAF_CHECK(busy.is_retryable() && !busy.is_session_lost());
  const failure lost{errc::connection_lost, ""};
  CAF_CHECK(lost.is_retryable() && lost.is_session_lost());
  const failure unknown{errc::outcome_unknown, ""};
  CAF_CHECK(!unknown.is_retryable() && unknown.is_session_lost());
  CAF_CHECK(unknown.is_outcome_unknown() && !lost.is_outcome_unknown());
  CAF_CHECK(!failure(errc::schema, "").is_retryable());
}

CAF_TEST(a refusal carries its code) {
  const expected<int> refused = refuse(errc::full, "no room");
  CAF_CHECK(test::refusal(refused) == (failure{errc::full, "no room"}));
}
