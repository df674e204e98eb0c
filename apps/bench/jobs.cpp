#include "jobs.hpp"

namespace bench {

namespace {

inbox::table_spec described(inbox::form form) {
  using enum inbox::column_role;
  inbox::table_spec spec;
  spec.name = table_name;
  spec.columns = {{"id", id, true},
                  {"name", group},
                  {"retry_after", retry_after},
                  {"attempt", attempt, true},
                  {"payload", payload}};
  // Row locks work on the same table and leave this column alone.
  if (form == inbox::form::lease)
    spec.columns.push_back({"locked_until", locked_until});
  return spec;
}

} // namespace

inbox::expected<inbox::subscription> jobs(const serving& how) {
  auto t = inbox::table::make(described(how.form));
  if (!t)
    return tl::make_unexpected(t.error());
  inbox::subscription queue{std::string{group_name}, std::move(*t), {}};
  queue.settings.workers = how.workers;
  queue.settings.prefetch = how.prefetch;
  if (auto checked = inbox::check(queue); !checked)
    return tl::make_unexpected(checked.error());
  return queue;
}

} // namespace bench
