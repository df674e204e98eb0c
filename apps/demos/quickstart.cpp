// The main job on SQLite: digests every file of a folder through a queue in
// an ordinary table, and proves that a kill loses nothing. `apps/quickstart`
// runs its commands in turn.

#include <cstdio>
#include <exception>
#include <string_view>

#include "quickstart/commands.hpp"

namespace {

int run(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (argc == 4 && command == "enqueue")
    return quickstart::enqueue(argv[2], argv[3]);
  if (argc == 3 && command == "serve")
    return quickstart::serve(argv[2]);
  if (argc == 3 && command == "percent")
    return quickstart::percent(argv[2]);
  if (argc == 3 && command == "killed")
    return quickstart::killed(argv[2]);
  if (argc == 3 && command == "report")
    return quickstart::report(argv[2]);
  std::fputs("usage: quickstart enqueue STORE FOLDER\n"
             "       quickstart serve|percent|killed|report STORE\n",
             stderr);
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "quickstart: %s\n", e.what());
    return 1;
  }
}
