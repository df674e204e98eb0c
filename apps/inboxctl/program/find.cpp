#include "program/find.hpp"

#include <cstdlib>
#include <sstream>

#include <unistd.h>

namespace inboxctl {

namespace fs = std::filesystem;
using inbox::errc;

namespace {

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

/// Why `file` cannot be started.
std::string trouble_with(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    return "there is no such file";
  if (!fs::is_regular_file(file, ignored))
    return "it is not a regular file";
  return "it is not executable; try chmod +x";
}

inbox::expected<std::string> in_folder(const std::string& name,
                                       const fs::path& folder) {
  const auto file = fs::absolute(folder / name).lexically_normal();
  if (is_program(file))
    return file.string();
  return inbox::refuse(errc::handler_failed, "cannot run the program \"" + name
                                               + "\" (" + file.string()
                                               + "): " + trouble_with(file));
}

inbox::expected<std::string> in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders{path ? path : "/usr/local/bin:/usr/bin:/bin"};
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = fs::absolute(fs::path{folder.empty() ? "." : folder}
                                   / name);
    if (is_program(file))
      return file.lexically_normal().string();
  }
  return inbox::refuse(errc::handler_failed,
                       "cannot run the program \"" + name
                         + "\": no folder of PATH holds it; install it, or "
                           "give its path with a slash in it");
}

} // namespace

inbox::expected<program> find_program(std::vector<std::string> words,
                                      const fs::path& folder) {
  if (words.empty() || words.front().empty())
    return inbox::refuse(errc::invalid_setting,
                         "no program to run; set exec = [\"PROGRAM\", ...] "
                         "for the queue, or give --exec PROGRAM");
  const auto& name = words.front();
  auto file = name.find('/') == std::string::npos ? in_path(name)
                                                  : in_folder(name, folder);
  if (!file)
    return tl::unexpected{std::move(file.error())};
  return program{std::move(*file), std::move(words)};
}

} // namespace inboxctl
