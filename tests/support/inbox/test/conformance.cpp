#define CAF_SUITE conformance
#include "inbox/test/conformance.hpp"

#include <filesystem>
#include <fstream>

#include "inbox/test/not_served.hpp"
#include "inbox/test/server.hpp"

namespace inbox::test {

namespace {

std::string title(const std::string& number, const std::string& sentence,
                  cell where) {
  return number + " " + sentence + " (" + std::string{to_string(where)} + ")";
}

} // namespace

bool promise::add(const char* suite, const char* number, const char* sentence,
                  body run) {
  for (const auto c : cells)
    caf::test::engine::add(
      suite, std::make_unique<promise>(suite, number, sentence, run, c));
  return true;
}

promise::promise(std::string suite, std::string number, std::string sentence,
                 body run, cell where)
  : test{title(number, sentence, where), false},
    suite_{std::move(suite)},
    number_{std::move(number)},
    sentence_{std::move(sentence)},
    body_{run},
    where_{where} {}

void promise::run_test_impl() {
  if (const auto why = not_served().reason(number_, where_)) {
    CAF_MESSAGE("not served here: " << *why);
    return;
  }
  note("failed"); // until it has passed
  if (is_postgres(where_) && !postgres_url())
    return note("skipped");
  const auto bad = this->bad();
  try {
    body_(where_);
  } catch (const std::exception& e) {
    CAF_ERROR(e.what());
  }
  if (this->bad() == bad)
    note("passed");
}

void promise::note(const char* how) {
  const auto* folder = std::getenv("INBOX_TEST_RESULTS");
  if (!folder)
    return;
  static bool first = true;
  std::filesystem::create_directories(folder);
  std::ofstream{std::filesystem::path{folder} / suite_,
                first ? std::ios::trunc : std::ios::app}
    << number_ << '\t' << to_string(where_) << '\t' << how << '\t' << sentence_
    << '\n';
  first = false;
}

} // namespace inbox::test
