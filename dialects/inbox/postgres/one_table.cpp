#include "inbox/postgres/one_table.hpp"

#include "inbox/postgres/dialect.hpp"

namespace inbox::postgres {

expected<void> check_one_table(inbox::connection& on, const table& t) {
  if (t.kind() != form::lease)
    return {};
  const auto found = on.execute(dialect{}.find_children(t), {});
  if (!found)
    return tl::make_unexpected(found.error());
  if (found->rows->size() == 0)
    return {};
  return refuse(errc::unsupported_form,
                "the table has partitions or child tables, over which a lease "
                "claim cannot find its rows; serve one partition by its own "
                "name, or leave out locked_until for the row lock form");
}

} // namespace inbox::postgres
