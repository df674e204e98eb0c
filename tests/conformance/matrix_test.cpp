// Prints which promise was kept in which cell, from what the other suites
// noted, and fails where something is missing that tests/not_served.txt does
// not excuse.
#define CAF_SUITE conformance_matrix
#include "inbox/test/conformance.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "inbox/test/not_served.hpp"

using namespace inbox::test;

namespace {

/// How each body of a promise went in a cell, by its sentence.
using bodies = std::map<std::string, std::string>;
/// By number and cell.
using results = std::map<std::string, std::map<std::string, bodies>>;

results read_results() {
  results all;
  const auto* folder = std::getenv("INBOX_TEST_RESULTS");
  if (!folder)
    CAF_FAIL("INBOX_TEST_RESULTS names no folder");
  for (const auto& file : std::filesystem::directory_iterator{folder}) {
    std::ifstream in{file.path()};
    for (std::string line; std::getline(in, line);) {
      std::istringstream words{line};
      std::string number, where, how, sentence;
      words >> number >> where >> how;
      std::getline(words, sentence);
      all[number][where][sentence] = how; // the last one counts
    }
  }
  return all;
}

/// The promises of this stage, which are named in promises.txt.
std::set<std::string> read_promises() {
  std::ifstream in{INBOX_PROMISES};
  std::set<std::string> all;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.front() != '#')
      all.insert(line.substr(0, line.find(' ')));
  return all;
}

std::string judge(const bodies& went) {
  std::string worst = went.empty() ? "MISSING" : "passed";
  for (const auto& [sentence, how] : went)
    if (how != "passed")
      worst = how;
  return worst;
}

} // namespace

CAF_TEST(every promise is kept in every cell or listed as not served) {
  auto seen = read_results();
  auto numbers = read_promises();
  CAF_REQUIRE(!numbers.empty());
  for (const auto& [number, ignored] : seen)
    numbers.insert(number);
  std::ostringstream matrix;
  bool skipped = false;
  for (const auto& number : numbers) {
    matrix << number;
    for (const auto c : cells) {
      const auto excused = not_served().reason(number, c);
      const auto how = excused ? "-"
                               : judge(seen[number][std::string{to_string(c)}]);
      skipped |= how == "skipped";
      matrix << ' ' << to_string(c) << '=' << how;
      if (how != "passed" && how != "skipped" && !excused)
        CAF_ERROR(number << " in " << to_string(c) << ": " << how);
    }
    matrix << '\n';
  }
  std::cout << matrix.str();
  if (skipped)
    std::cout << "SKIPPED: the Postgres cells, for want of a server\n";
}

CAF_TEST(what is listed as not served names a promise) {
  const auto numbers = read_promises();
  for (const auto& l : not_served().lines())
    if (!numbers.contains(l.number))
      CAF_ERROR("promises.txt lacks " << l.number);
}
