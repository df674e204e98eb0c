#define CAF_SUITE statement_writer
#include "inbox/test/statements.hpp"

#include "inbox/sql/conditions.hpp"
#include "inbox/sql/shared.hpp"

using namespace inbox;
using namespace inbox::sql;
using namespace inbox::test;

namespace {

/// Spells names and placeholders; builds nothing.
struct plain_dialect final : dialect {
  std::string_view name() const noexcept override { return "plain"; }
  std::string quote(std::string_view identifier) const override {
    return "<" + std::string{identifier} + ">";
  }
  std::string placeholder(std::size_t n) const override {
    return ":" + std::to_string(n);
  }
  expected<shared_statements> build(const subscription&) const override {
    return refuse(errc::unsupported_form, "builds nothing");
  }
  expected<statement> insert(const table&, std::span<const std::uint16_t>,
                             std::size_t) const override {
    return refuse(errc::unsupported_form, "builds nothing");
  }
  std::size_t insert_limit(std::size_t) const noexcept override { return 1; }
  expected<std::string> ddl(const subscription&) const override {
    return refuse(errc::unsupported_form, "builds nothing");
  }
};

const plain_dialect plain;

using role = column_role;

} // namespace

CAF_TEST(placeholders are numbered and their meanings kept in order of use) {
  auto s = writer{plain}
             .text("a = ")
             .bind(param::meaning::now)
             .text(" b = ")
             .bind(param{param::meaning::value, 3})
             .finish();
  CAF_CHECK_EQUAL(s.text, "a = :1 b = :2");
  CAF_CHECK_EQUAL(meanings(s), "now, value 3");
}

CAF_TEST(a schema qualifies the table and each part is quoted alone) {
  auto spec = jobs_spec({role::id});
  spec.schema = "mail";
  const auto s = serving(spec);
  CAF_CHECK_EQUAL(writer{plain}.name(s.description.name()).finish().text,
                  "<mail>.<jobs>");
}

CAF_TEST(conditions a table has no column for leave no trace (C-034)) {
  const auto s = jobs({role::id});
  const auto& t = s.description;
  const auto text = writer{plain}
                      .text("x")
                      .where({of_group(t), not_processed(t), not_leased(t),
                              has_token(t)})
                      .finish()
                      .text;
  CAF_CHECK_EQUAL(text, "x");
}

CAF_TEST(conditions are joined in the order given) {
  const auto s = jobs(
    {role::id, role::group, role::locked_until, role::processed_at});
  const auto& t = s.description;
  const auto written = writer{plain}
                         .where(
                           {of_group(t), {}, not_processed(t), not_leased(t)})
                         .finish();
  CAF_CHECK_EQUAL(written.text,
                  " WHERE <group> = :1 AND <processed_at> IS NULL AND "
                  "(<locked_until> IS NULL OR <locked_until> <= :2)");
  CAF_CHECK_EQUAL(meanings(written), "group, now");
}

CAF_TEST(a claim is ordered by priority and due time and always by id (C-035)) {
  const auto full = jobs({role::id, role::retry_after, role::priority});
  CAF_CHECK_EQUAL(
    writer{plain}.order_by(claim_order(full.description)).finish().text,
    " ORDER BY <priority>, <retry_after>, <id>");
  const auto bare = jobs({role::id, role::payload});
  CAF_CHECK_EQUAL(
    writer{plain}.order_by(claim_order(bare.description)).finish().text,
    " ORDER BY <id>");
}

CAF_TEST(an insert writes the columns given and answers the id (C-093)) {
  const auto s = jobs({role::id, role::group, role::payload});
  const std::uint16_t columns[] = {1, 2};
  const auto some = unbox(insert(plain, s.description, columns, 1));
  CAF_CHECK_EQUAL(some.text, "INSERT INTO <jobs> (<group>, <payload>) "
                             "VALUES (:1, :2) RETURNING <id>");
  CAF_CHECK_EQUAL(meanings(some), "value 1, value 2");
  const auto none = unbox(insert(plain, s.description, {}, 1));
  CAF_CHECK_EQUAL(none.text,
                  "INSERT INTO <jobs> DEFAULT VALUES RETURNING <id>");
}

CAF_TEST(an insert of a column that is not there is refused) {
  const auto s = jobs({role::id});
  const std::uint16_t columns[] = {1};
  const auto why = refusal(insert(plain, s.description, columns, 1));
  CAF_CHECK_EQUAL(why.code(), errc::invalid_description);
  CAF_CHECK_EQUAL(why.table(), "jobs");
}
