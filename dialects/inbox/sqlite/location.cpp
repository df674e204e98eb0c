#include "inbox/sqlite/location.hpp"

#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace inbox::sqlite {

namespace {

/// The scheme of "scheme:rest"; empty for a plain path, whose first colon, if
/// any, comes after something no scheme may hold.
std::string_view scheme_of(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0)
    return {};
  const auto scheme = text.substr(0, colon);
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz+";
  return scheme.find_first_not_of(allowed) == std::string_view::npos
           ? scheme
           : std::string_view{};
}

location to_location(std::string_view name) {
  const bool is_uri = name.starts_with("file:");
  const bool in_memory = name == ":memory:"
                         || (is_uri
                             && (name.find("mode=memory")
                                   != std::string_view::npos
                                 || name.starts_with("file::memory:")));
  return {std::string{name}, is_uri, in_memory};
}

tl::unexpected<failure> refuse_file(const location& where,
                                    const std::string& why) {
  return refuse(errc::connect,
                "the database file \"" + where.name + "\" " + why);
}

} // namespace

expected<location> parse_location(std::string_view path_or_url) {
  auto name = path_or_url;
  const auto scheme = scheme_of(name);
  if (scheme == "sqlite") {
    name.remove_prefix(scheme.size() + 1);
    if (name.starts_with("//"))
      name.remove_prefix(2);
  } else if (!scheme.empty() && scheme != "file") {
    return refuse(errc::unknown_database,
                  "the scheme \"" + std::string{scheme}
                    + "\" names no SQLite database; write sqlite:PATH");
  }
  if (name.empty())
    return refuse(errc::unknown_database,
                  "the URL names no database file; write sqlite:PATH");
  return to_location(name);
}

expected<void> check_file(const location& where) {
  if (where.is_uri || where.in_memory)
    return {};
  struct stat seen {};
  if (::stat(where.name.c_str(), &seen) != 0)
    return refuse_file(
      where, errno == ENOENT
               ? "does not exist; create it with the table's "
                 "statements first, it is never made silently"
               : std::string{"cannot be reached: "} + std::strerror(errno));
  if (S_ISDIR(seen.st_mode))
    return refuse_file(where, "is a directory; name the file in it");
  if (!S_ISREG(seen.st_mode))
    return refuse_file(where, "is no regular file; name a database file");
  if (::access(where.name.c_str(), R_OK) != 0)
    return refuse_file(where, "may not be read by this user; change its "
                              "owner or its mode");
  return {};
}

} // namespace inbox::sqlite
