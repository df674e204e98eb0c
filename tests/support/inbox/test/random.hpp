#pragma once

// Random sequences for property tests. Included after a test's CAF_SUITE.

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "inbox/test/unit.hpp"

namespace inbox::test {

/// The seed is printed; INBOX_TEST_SEED repeats a run.
class random {
public:
  random() {
    const auto* given = std::getenv("INBOX_TEST_SEED");
    const auto seed = given ? std::strtoull(given, nullptr, 10)
                            : std::random_device{}();
    CAF_MESSAGE("INBOX_TEST_SEED=" << seed);
    engine_.seed(seed);
  }

  /// From 0 to `end` - 1.
  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>{0, end - 1}(engine_);
  }

  bool chance(std::uint32_t percent) { return below(100) < percent; }

  /// In [0, 1).
  double unit() {
    return std::uniform_real_distribution<double>{0, 1}(engine_);
  }

  /// Up to `most` octets out of `alphabet`; any octets when it is empty.
  std::string octets(std::uint32_t most, std::string_view alphabet = {}) {
    std::string out(below(most + 1), '\0');
    for (auto& c : out)
      c = alphabet.empty()
            ? static_cast<char>(below(256))
            : alphabet[below(static_cast<std::uint32_t>(alphabet.size()))];
    return out;
  }

private:
  std::mt19937_64 engine_;
};

} // namespace inbox::test
