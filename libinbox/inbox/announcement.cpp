#include "inbox/announcement.hpp"

#include <algorithm>

namespace inbox {

namespace {

/// Beyond these one announcement of any group costs the server less.
constexpr std::size_t most_groups = 16;

} // namespace

new_rows written_groups::noting(new_rows rows) {
  return {rows.count, [this, at = std::move(rows.at)](std::size_t i) {
            auto row = at(i);
            if (row)
              note(*row);
            return row;
          }};
}

void written_groups::note(const row_values& row) {
  if (is_any_)
    return;
  const auto found = position_ ? std::ranges::find(row.columns, *position_)
                               : row.columns.end();
  const auto group
    = found == row.columns.end()
        ? std::nullopt
        : row.values[std::size_t(found - row.columns.begin())].view().as_text();
  if (group)
    groups_.emplace(*group);
  is_any_ = !group || groups_.size() > most_groups;
}

std::set<std::string> written_groups::all() const {
  return is_any_ ? std::set<std::string>{""} : groups_;
}

expected<void> announce(connection& on, const dialect& speaks, const table& of,
                        std::string_view group) {
  auto channel = speaks.channel(of);
  if (!channel)
    return tl::make_unexpected(std::move(channel.error()));
  const value values[] = {std::move(*channel), speaks.payload_for(group)};
  return on.execute(speaks.announcement(), values).map([](const auto&) {});
}

expected<void> announce(connection& on, const dialect& speaks, const table& of,
                        const std::set<std::string>& groups) {
  // Those too long for a payload are announced as any, which is all of them.
  const auto is_long = [&](const std::string& group) {
    return speaks.payload_for(group).empty();
  };
  if (std::ranges::any_of(groups, is_long))
    return announce(on, speaks, of, "");
  for (const auto& group : groups)
    if (auto told = announce(on, speaks, of, group); !told)
      return told;
  return {};
}

} // namespace inbox
