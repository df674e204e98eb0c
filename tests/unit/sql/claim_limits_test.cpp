#define CAF_SUITE claim_limits
#include "inbox/test/statements.hpp"

#include "inbox/sql/shared.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

using limits = std::vector<std::uint32_t>;

limits of(std::initializer_list<column_role> roles, std::uint32_t prefetch,
          std::uint32_t batch) {
  auto s = jobs(roles);
  s.settings.prefetch = prefetch;
  s.settings.batch = batch;
  return sql::claim_limits(s);
}

const auto lease = {column_role::id, column_role::locked_until};
const auto row_lock = {column_role::id};

} // namespace

CAF_TEST(a lease claim has texts up to what may be claimed ahead) {
  CAF_CHECK_EQUAL(of(lease, 100, 1), (limits{1, 2, 5, 10, 20, 50, 100}));
  CAF_CHECK_EQUAL(of(lease, 1, 1), (limits{1}));
  CAF_CHECK_EQUAL(of(lease, 5000, 1),
                  (limits{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}));
}

CAF_TEST(a row lock claim takes the rows of one handler call) {
  CAF_CHECK_EQUAL(of(row_lock, 100, 1), (limits{1}));
  CAF_CHECK_EQUAL(of(row_lock, 100, 10), (limits{1, 2, 5, 10}));
}

CAF_TEST(a batch is one claim whatever its size (C-220)) {
  CAF_CHECK_EQUAL(of(row_lock, 100, 4), (limits{1, 2, 4}));
  CAF_CHECK_EQUAL(of(lease, 1, 7), (limits{1, 2, 5, 7}));
  CAF_CHECK_EQUAL(of(lease, 10, 1500),
                  (limits{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1500}));
}
