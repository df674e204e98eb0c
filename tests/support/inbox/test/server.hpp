#pragma once

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "inbox/test/unit.hpp"

namespace inbox::test {

/// The test server's URL. Without one the test says that it is skipped, and
/// fails where `CI` is set, so that nothing is left out unseen.
inline std::optional<std::string> postgres_url() {
  if (const auto* url = std::getenv("INBOX_TEST_POSTGRES_URL"))
    return url;
  std::cout << "SKIPPED: INBOX_TEST_POSTGRES_URL names no server\n";
  if (std::getenv("CI"))
    CAF_FAIL("INBOX_TEST_POSTGRES_URL is not set");
  return std::nullopt;
}

} // namespace inbox::test
