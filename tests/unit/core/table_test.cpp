#define CAF_SUITE table
#include "inbox/test/unit.hpp"

#include "inbox/table.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace {

using role = column_role;

table_column col(std::string name, column_role plays,
                 column_type type = column_type::unknown) {
  return {std::move(name), plays, false, type};
}

table_spec jobs(std::vector<table_column> columns) {
  table_spec spec;
  spec.name = "jobs";
  spec.columns = std::move(columns);
  return spec;
}

table_spec with(table_spec spec, void (*change)(table_spec&)) {
  change(spec);
  return spec;
}

} // namespace

CAF_TEST(C-001 columns are ordered by role and data keeps its own order) {
  const auto made = unbox(table::make(jobs({
    col("f", role::fetched),
    col("z", role::data),
    col("body", role::payload),
    col("a", role::data),
    col("meta", role::headers),
    col("done", role::processed_at),
    col("until", role::locked_until),
    col("tries", role::attempt),
    col("due", role::retry_after),
    col("urgency", role::priority),
    col("customer", role::partition_key),
    col("name", role::group),
    col("job_id", role::id),
  })));
  std::string names;
  for (const auto& c : made.columns())
    names += c.name + " ";
  CAF_CHECK_EQUAL(names, "job_id name customer urgency due tries until done "
                         "meta body z a f ");
  CAF_CHECK_EQUAL(made.position(role::attempt), std::size_t{5});
  CAF_CHECK_EQUAL(made.find(role::payload)->name, "body");
}

CAF_TEST(C-003 the form follows from locked_until and the lock key) {
  const auto bare = jobs({col("id", role::id)});
  CAF_CHECK(unbox(table::make(bare)).kind() == form::row_lock);
  CAF_CHECK(unbox(table::make(jobs(
                    {col("id", role::id), col("until", role::locked_until)})))
              .kind()
            == form::lease);
  auto keyed = bare;
  keyed.lock_key = "jobs-{id}-x";
  const auto advisory = unbox(table::make(keyed));
  CAF_CHECK(advisory.kind() == form::advisory);
  CAF_CHECK_EQUAL(advisory.lock_key().size(), 3u);
  CAF_CHECK(advisory.lock_key()[1]
            == (key_part{key_part::kind_type::column, "id"}));
  keyed.lock_key = "";
  CAF_CHECK(unbox(table::make(keyed)).kind() == form::advisory);
}

CAF_TEST(C-004 fifo is a flavour of the group column) {
  auto spec = jobs({col("id", role::id), col("name", role::group)});
  CAF_CHECK(!unbox(table::make(spec)).is_fifo());
  spec.fifo = true;
  CAF_CHECK(unbox(table::make(spec)).is_fifo());
}

CAF_TEST(C-007 the type of a column does not make another table) {
  const auto known = jobs({col("id", role::id, column_type::integer)});
  CAF_CHECK(unbox(table::make(known))
            == unbox(table::make(jobs({col("id", role::id)}))));
}

CAF_TEST(C-002 C-009 C-011 C-013 C-014 C-016 C-022 each broken rule is refused by name) {
  const auto grouped = jobs({col("id", role::id), col("name", role::group)});
  const auto lease = jobs(
    {col("id", role::id), col("until", role::locked_until)});
  const struct {
    table_spec spec;
    errc code;
    const char* message;
  } cases[] = {
    {with(jobs({col("id", role::id)}), [](auto& s) { s.name = ""; }),
     errc::invalid_description, "a table needs a name; the one given is empty"},
    {with(jobs({col("id", role::id)}), [](auto& s) { s.name = "app.jobs"; }),
     errc::invalid_description,
     "the table name \"app.jobs\" holds a dot; give the part before it as the "
     "schema"},
    {with(jobs({col("id", role::id)}), [](auto& s) { s.schema = "a.b"; }),
     errc::invalid_description,
     "the schema name \"a.b\" holds a dot; a schema's name is one part"},
    {jobs({}), errc::invalid_description,
     "no column has the role id; name the column that identifies a row"},
    {jobs({col("", role::id)}), errc::invalid_description,
     "the column with the role id has an empty name; give the column's name"},
    {jobs({col("a", role::id), col("b", role::id)}), errc::invalid_description,
     "the role id is given twice, to \"a\" and \"b\"; one column plays a role"},
    {jobs({col("a", role::id), col("a", role::data)}),
     errc::invalid_description,
     "the column \"a\" is named twice, as id and as data; a column plays one "
     "role"},
    {jobs({col("a", role::id), col("b", role::data), col("b", role::fetched)}),
     errc::invalid_description,
     "the column \"b\" is named twice, as data and as fetched; a column plays "
     "one role"},
    {jobs({col("a", role::id), col("n", role::attempt, column_type::text)}),
     errc::invalid_description,
     "the attempt column \"n\" holds text; that role takes an integer"},
    {with(lease, [](auto& s) { s.lock_key = "x"; }), errc::invalid_description,
     "the locked_until column \"until\" makes the table a lease table and "
     "lock_key an advisory one; keep one of the two"},
    {with(lease, [](auto& s) { s.clock = clock_kind::database; }),
     errc::lease_on_database_clock,
     "the locked_until column \"until\" makes the table a lease table, whose "
     "clock is the host's; remove clock = \"database\""},
    {with(lease, [](auto& s) { s.fifo = true; }), errc::invalid_description,
     "fifo is set and no column has the role group; name the group column "
     "whose order is kept"},
    {with(grouped,
          [](auto& s) {
            s.fifo = true;
            s.lock_key = "x";
          }),
     errc::invalid_description,
     "fifo does not go with lock_key; put {name} into the lock_key instead, "
     "so that a group's rows exclude each other"},
    {with(grouped, [](auto& s) { s.lock_key = "a-{id"; }),
     errc::invalid_description,
     "the lock_key \"a-{id\" has a { without a } after it; write {column} "
     "around "
     "a column's name"},
    {with(grouped, [](auto& s) { s.lock_key = "a-{{id}"; }),
     errc::invalid_description,
     "the lock_key \"a-{{id}\" has a { without a } after it; write {column} "
     "around a column's name"},
    {with(grouped, [](auto& s) { s.lock_key = "a-id}"; }),
     errc::invalid_description,
     "the lock_key \"a-id}\" has a } without a { before it; write {column} "
     "around a column's name"},
    {with(grouped, [](auto& s) { s.lock_key = "a-{}"; }),
     errc::invalid_description,
     "the lock_key \"a-{}\" has empty braces; write the name of a column "
     "between them"},
    {with(grouped, [](auto& s) { s.lock_key = "a-{nme}"; }),
     errc::invalid_description,
     "the lock_key \"a-{nme}\" names {nme}, which is no column of this "
     "description; name one of its columns"},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.message);
    const auto refused = refusal(table::make(c.spec));
    CAF_CHECK_EQUAL(refused.message(), c.message);
    CAF_CHECK(refused.code() == c.code);
  }
}

CAF_TEST(a refusal names the qualified table) {
  auto spec = jobs({});
  spec.schema = "app";
  CAF_CHECK_EQUAL(refusal(table::make(spec)).table(), "app.jobs");
}

CAF_TEST(C-043 a qualified name splits at its only dot) {
  const auto name = unbox(table_name::parse("app.dead letters"));
  CAF_CHECK_EQUAL(name.schema(), "app");
  CAF_CHECK_EQUAL(name.name(), "dead letters");
  CAF_CHECK_EQUAL(unbox(table_name::parse("jobs")).qualified(), "jobs");
  for (const auto* bad : {"a.b.c", "", ".b", "a.", "."})
    CAF_CHECK(refusal(table_name::parse(bad)).code()
              == errc::invalid_description);
}
