// Payloads as large as a database takes, and larger.
#define CAF_SUITE conformance_large_rows
#include "inbox/test/conformance.hpp"

#include <atomic>
#include <random>

#include <sqlite3.h>
#include <sys/resource.h>

using namespace inbox;
using namespace inbox::test;

namespace {

constexpr std::size_t mebibyte = 1 << 20;

/// Octets that do not compress, the same ones each time.
std::string octets(std::size_t size) {
  std::mt19937_64 random;
  std::string all(size, '\0');
  for (std::size_t at = 0; at + 8 <= size; at += 8) {
    const auto eight = random();
    all.replace(at, 8, reinterpret_cast<const char*>(&eight), 8);
  }
  return all;
}

/// The most memory this process has had, in MiB.
long peak() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss / 1024;
}

/// Every SQLite connection that opens while this lives takes values of a MiB
/// at most, as a build of SQLite may do for all.
class small_values {
public:
  small_values() { ::sqlite3_auto_extension(entry()); }
  ~small_values() { ::sqlite3_cancel_auto_extension(entry()); }
  small_values(const small_values&) = delete;
  small_values& operator=(const small_values&) = delete;

private:
  static int limit(sqlite3* db, char**, const sqlite3_api_routines*) {
    ::sqlite3_limit(db, SQLITE_LIMIT_LENGTH, mebibyte);
    return SQLITE_OK;
  }
  static void (*entry())() { return reinterpret_cast<void (*)()>(limit); }
};

} // namespace

CONFORMANCE("B72", "a payload of 64 MiB arrives byte for byte") {
  std::atomic<int> same = 0;
  std::atomic<int> other = 0;
  const new_row sent{.payload = octets(64 * mebibyte)};
  stand s{where};
  auto& served = s.serve(s.queue({.poll_interval = 20ms, .lease = 60s}),
                         [&](const delivery& d, context&) -> handled {
                           ++(d.payload() == sent.payload ? same : other);
                           return same + other == 1 ? retry() : ack();
                         });
  unbox(served.enqueue("emails", sent));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(same.load(), 2);
  CHECK_SAME(other.load(), 0);
  CHECK_SAME(s.settlements(), 1);
  CAF_MESSAGE("at most " << peak() << " MiB of memory");
}

CONFORMANCE("B72", "a payload larger than the database takes is refused") {
  const small_values at_most_a_mebibyte;
  calls seen;
  stand s{where};
  if (s.is_postgres()) // whose index takes less than its table does
    s.db().run("CREATE INDEX ON " + s.name() + " (payload)");
  auto& served = s.serve(s.queue({.poll_interval = 20ms}),
                         seen.answering(ack()));
  const auto large = octets(2 * mebibyte);
  const auto why = refusal(served.enqueue("emails", new_row{.payload = large}));
  CAF_MESSAGE(why.to_string());
  CAF_CHECK(why.code() == errc::too_large);
  CAF_CHECK(!why.is_retryable());
  CHECK_SAME(why.subscription(), "emails");
  CAF_CHECK(why.to_string().size() < 1000); // without the payload
  CAF_CHECK(s.is_postgres()
            || why.message().find("1048576 bytes") != std::string::npos);
  // All or nothing, and the queue goes on.
  const std::vector<new_row> both{{.payload = "small"}, {.payload = large}};
  CAF_CHECK(refusal(served.enqueue_many("emails", both)).code()
            == errc::too_large);
  unbox(served.enqueue("emails", {.payload = "small"}));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 1u);
  CHECK_SAME(s.logged("", log_level::error), 0u);
}
