#include "process_tree.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace bench {

namespace {

/// What /proc/PID/stat tells, in clock ticks.
struct process {
  int parent = 0;
  long own = 0;   ///< user and system
  long ended = 0; ///< children that were waited for
};

std::optional<process> read(int pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  std::string line;
  if (!std::getline(file, line))
    return std::nullopt;
  // The name may hold blanks and brackets; what follows it does not.
  std::istringstream rest{line.substr(line.rfind(')') + 1)};
  std::string skipped;
  process p;
  rest >> skipped >> p.parent;
  for (int field = 5; field <= 13; ++field)
    rest >> skipped;
  long user = 0, system = 0, ended_user = 0, ended_system = 0;
  rest >> user >> system >> ended_user >> ended_system;
  p.own = user + system;
  p.ended = ended_user + ended_system;
  return rest ? std::optional{p} : std::nullopt;
}

std::optional<int> pid_of(const std::filesystem::path& folder) {
  const auto name = folder.filename().string();
  int pid = 0;
  const auto [end, bad] = std::from_chars(name.data(),
                                          name.data() + name.size(), pid);
  if (bad != std::errc{} || end != name.data() + name.size())
    return std::nullopt;
  return pid;
}

} // namespace

std::optional<int> parent_of(int pid) {
  const auto p = read(pid);
  return p ? std::optional{p->parent} : std::nullopt;
}

std::string name_of(int pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/comm"};
  std::string name;
  std::getline(file, name);
  return name;
}

std::optional<inbox::duration> family_cpu(int pid) {
  const auto head = read(pid);
  if (!head)
    return std::nullopt;
  auto ticks = head->own + head->ended;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"})
    if (const auto child = pid_of(entry.path()))
      if (const auto p = read(*child); p && p->parent == pid)
        ticks += p->own;
  return inbox::duration{ticks * 1'000'000 / sysconf(_SC_CLK_TCK)};
}

} // namespace bench
