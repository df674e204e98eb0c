#pragma once

// What every unit test includes, after it has named its CAF_SUITE. For tests
// without actors; those with them include "inbox/test/actors.hpp".

#include <caf/test/unit_test.hpp>

#include <ostream>

#include "inbox/error.hpp"

namespace inbox::test {

/// The value, or a failed test that shows the failure.
template <class T>
T unbox(expected<T> result) {
  if (!result)
    CAF_FAIL(result.error().to_string());
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

/// The failure, or a failed test.
template <class T>
failure refusal(const expected<T>& result) {
  if (result)
    CAF_FAIL("expected a failure and got a value");
  return result.error();
}

} // namespace inbox::test
