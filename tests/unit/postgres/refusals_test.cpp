#define CAF_SUITE postgres_refusals
#include "inbox/test/statements.hpp"

#include "inbox/postgres/dialect.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using role = column_role;

const postgres::dialect speaks;

table_spec altered(std::initializer_list<role> roles, auto change) {
  auto spec = jobs_spec(roles);
  change(spec);
  return spec;
}

} // namespace

CAF_TEST(what Postgres does not serve is refused by name (C-047)) {
  const struct {
    const char* why;
    table_spec spec;
    errc code;
  } cases[] = {
    {"fifo", altered({role::id, role::group}, [](auto& s) { s.fifo = true; }),
     errc::unsupported_fifo},
    {"advisory", altered({role::id}, [](auto& s) { s.lock_key = "jobs-{id}"; }),
     errc::unsupported_form},
    {"a level it does not have",
     altered({role::id}, [](auto& s) { s.opens = opening::read_uncommitted; }),
     errc::unsupported_opening},
    {"a SQLite mode",
     altered({role::id}, [](auto& s) { s.opens = opening::immediate; }),
     errc::unsupported_opening},
    {"a table name of 64 bytes",
     altered({role::id}, [](auto& s) { s.name = std::string(64, 't'); }),
     errc::identifier_too_long},
    {"a schema of 64 bytes",
     altered({role::id}, [](auto& s) { s.schema = std::string(64, 's'); }),
     errc::identifier_too_long},
    {"a column of 64 bytes",
     altered({role::id},
             [](auto& s) { s.columns[0].name = std::string(64, 'c'); }),
     errc::identifier_too_long},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.why);
    const auto why = refusal(speaks.build(serving(c.spec)));
    CAF_CHECK_EQUAL(why.code(), c.code);
    CAF_CHECK_EQUAL(why.subscription(), "emails");
    CAF_CHECK_EQUAL(why.table().empty(), false);
    CAF_CHECK_EQUAL(why.message().empty(), false);
  }
}

CAF_TEST(names of 63 bytes are served) {
  auto spec = jobs_spec({role::id});
  spec.name = std::string(63, 't');
  CAF_CHECK(speaks.build(serving(spec)).has_value());
}

CAF_TEST(a dead letter table with too long a name is refused) {
  const auto s = with_dead_letter(jobs({role::id, role::attempt}),
                                  std::string(64, 'd'));
  CAF_CHECK_EQUAL(refusal(speaks.build(s)).code(), errc::identifier_too_long);
}

CAF_TEST(quotes within a name are doubled (C-030)) {
  CAF_CHECK_EQUAL(speaks.quote(R"(a"b)"), R"("a""b")");
  CAF_CHECK_EQUAL(speaks.placeholder(12), "$12");
}

CAF_TEST(a transaction opens at the level the table declares (C-091)) {
  const struct {
    opening how;
    const char* text;
  } cases[] = {
    {opening::standard, "BEGIN"},
    {opening::read_committed, "BEGIN ISOLATION LEVEL READ COMMITTED"},
    {opening::repeatable_read, "BEGIN ISOLATION LEVEL REPEATABLE READ"},
    {opening::serializable, "BEGIN ISOLATION LEVEL SERIALIZABLE"},
  };
  for (const auto& c : cases) {
    auto spec = jobs_spec({role::id});
    spec.opens = c.how;
    CAF_CHECK_EQUAL(unbox(speaks.begin(serving(spec).description)), c.text);
  }
}
