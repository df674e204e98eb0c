#define CAF_SUITE described_handler
#include "inbox/test/unit.hpp"

#include "inbox/handler_adapt.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace mailer {

struct letter {
  std::int64_t id = 0;
  std::string to;
};

consteval auto inbox_table(std::type_identity<letter>) {
  using namespace inbox::role;
  return inbox::describe<letter, "letters">(id<&letter::id>(generated),
                                            data<&letter::to>());
}

} // namespace mailer

namespace {

delivery claimed(value to) {
  const auto statements = std::make_shared<statement_set>(
    subscription{"letters", unbox(to_table<mailer::letter>()), {}});
  row_set::builder rows{{"id", "to"}};
  rows.add(value{7});
  rows.add(to);
  const claimed_rows claim{1, 1, std::move(rows).finish(), {}, {}};
  return unbox(delivery::from_row(statements, claim, 0, 1));
}

handled call(const handler& with, const delivery& d) {
  context ctx{d, std::make_shared<stop_signal>()};
  return with(d, ctx);
}

} // namespace

CAF_TEST(a handler takes a described struct as its row) {
  std::string seen;
  const auto with = adapt([&seen](const mailer::letter& l, context& ctx) {
    seen = l.to + std::to_string(l.id) + ctx.id().to_display();
    return retry();
  });
  CAF_CHECK(unbox(call(with, claimed("Ada"))) == retry());
  CAF_CHECK_EQUAL(seen, "Ada77");
}

CAF_TEST(C-140 a row that does not fit the struct never reaches the handler) {
  bool called = false;
  const auto with = adapt([&called](const mailer::letter&) { called = true; });
  const auto refused = refusal(call(with, claimed(5)));
  CAF_CHECK(refused.code() == errc::undecodable);
  CAF_CHECK_EQUAL(refused.message(),
                  "the column \"to\" does not fit its member: the value is "
                  "integer (5); the member takes text; for bytes use "
                  "std::vector<std::byte>");
  CAF_CHECK(!called);
}
