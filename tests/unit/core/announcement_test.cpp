#define CAF_SUITE announcement
#include "inbox/announcement.hpp"
#include "inbox/test/unit.hpp"

using namespace inbox;
using test::unbox;

namespace {

using names = std::set<std::string>;

table jobs(bool grouped) {
  table_spec spec;
  spec.name = "jobs";
  spec.columns = {{"id", column_role::id, true},
                  {"payload", column_role::payload}};
  if (grouped)
    spec.columns.push_back({"name", column_role::group});
  return unbox(table::make(std::move(spec)));
}

/// The groups to announce of rows with these values in the group's column.
names announced(const std::vector<value>& groups) {
  const auto to = jobs(true);
  const auto at = std::uint16_t(*to.position(column_role::group));
  written_groups noted{to};
  const auto rows = noted.noting(
    {groups.size(), [&](std::size_t i) {
       return row_values{{at}, {value::copy_of(groups[i])}};
     }});
  for (std::size_t i = 0; i < rows.count; ++i)
    unbox(rows.at(i));
  return noted.all();
}

} // namespace

CAF_TEST(each group is announced once) {
  CAF_CHECK(announced({"a", "b", "a"}) == (names{"a", "b"}));
  CAF_CHECK(announced({}).empty());
}

CAF_TEST(rows of no known group are announced as any) {
  CAF_CHECK(announced({"a", value{}, "b"}) == names{""});
  written_groups bare{jobs(false)};
  bare.note({});
  CAF_CHECK(bare.all() == names{""});
  written_groups generated{jobs(true)};
  generated.note({});
  CAF_CHECK(generated.all() == names{""});
}

CAF_TEST(very many groups are announced as any) {
  std::vector<value> groups;
  for (int i = 0; i < 16; ++i)
    groups.push_back(std::to_string(i));
  CAF_CHECK_EQUAL(announced(groups).size(), 16u);
  groups.push_back("16");
  CAF_CHECK(announced(groups) == names{""});
}
