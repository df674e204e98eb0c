#include "inbox/describe/row.hpp"

namespace inbox::detail {

std::optional<value_view> value_in(const row& from, std::size_t position,
                                   std::string_view name) {
  if (position < from.size() && from.name(position) == name)
    return from.at(position);
  if (const auto found = from.find(name))
    return from.at(*found);
  return std::nullopt;
}

tl::unexpected<failure> refuse_missing(std::string_view column) {
  return refuse(errc::schema, "the row has no column \"" + std::string{column}
                                + "\"; the statement has to read it");
}

tl::unexpected<failure> refuse_null(std::string_view column) {
  return refuse(errc::null_in_role,
                "the column \"" + std::string{column}
                  + "\" is NULL; make its member a std::optional");
}

tl::unexpected<failure> in_column(failure why, std::string_view column) {
  return tl::unexpected(
    failure{why.code(), "the column \"" + std::string{column}
                          + "\" does not fit its member: " + why.message()});
}

} // namespace inbox::detail
