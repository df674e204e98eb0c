#pragma once

// One body for each promise, run once for each cell of the conformance suite.
// Included after CAF_SUITE is named.

#include <string>

#include "inbox/test/stand.hpp"
#include "inbox/test/unit.hpp"

namespace inbox::test {

/// A body of the suite in one cell. `not_served.txt` says where it is not run.
class promise final : public caf::test::test {
public:
  using body = void (*)(cell);

  /// Makes one test for each cell.
  static bool add(const char* suite, const char* number, const char* sentence,
                  body run);

  promise(std::string suite, std::string number, std::string sentence, body run,
          cell where);

  void run_test_impl() override;

private:
  void note(const char* how);

  std::string suite_;
  std::string number_;
  std::string sentence_;
  body body_;
  cell where_;
};

} // namespace inbox::test

#define CONFORMANCE_AT(line, number, sentence)                                 \
  static void CAF_PASTE(promise, line)(::inbox::test::cell);                   \
  [[maybe_unused]] static const bool CAF_PASTE(added, line)                    \
    = ::inbox::test::promise::add(CAF_XSTR(CAF_SUITE), number, sentence,       \
                                  CAF_PASTE(promise, line));                   \
  static void CAF_PASTE(promise,                                               \
                        line)([[maybe_unused]] ::inbox::test::cell where)

/// CONFORMANCE("C-154", "a late holder changes nothing") { stand s{where}; }
/// `number` is a behaviour's or a field report's.
#define CONFORMANCE(number, sentence) CONFORMANCE_AT(__LINE__, number, sentence)

/// CAF_CHECK_EQUAL of copies: it keeps references alone, and would look into
/// a temporary that is gone.
#define CHECK_SAME(one, other)                                                 \
  do {                                                                         \
    const auto one_copy = one;                                                 \
    const auto other_copy = other;                                             \
    CAF_MESSAGE(#one " and " #other);                                          \
    CAF_CHECK_EQUAL(one_copy, other_copy);                                     \
  } while (false)
