#define CAF_SUITE signal_watch
#include "inbox/test/unit.hpp"

#include <condition_variable>
#include <csignal>
#include <mutex>

#include "inbox/actors/signal_watch.hpp"
#include "inbox/time.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

/// Counts the calls it gets on another thread.
struct counts {
  void add(int n) {
    const std::lock_guard lock{mutex};
    seen.push_back(n);
    changed.notify_all();
  }
  bool wait_for(std::size_t n) {
    std::unique_lock lock{mutex};
    return changed.wait_for(lock, 20s, [&] { return seen.size() >= n; });
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> seen;
};

int before = 0;

void on_signal_before(int) {
  ++before;
}

} // namespace

CAF_TEST(each signal is counted whichever of the two it is) {
  counts heard;
  const signal_watch watch{[&](int n) { heard.add(n); }};
  std::raise(SIGTERM);
  CAF_REQUIRE(heard.wait_for(1));
  std::raise(SIGINT);
  CAF_REQUIRE(heard.wait_for(2));
  CAF_CHECK_EQUAL(heard.seen, (std::vector<int>{1, 2}));
}

CAF_TEST(the handlers from before are back when the watch ends) {
  before = 0;
  struct sigaction ours {};
  struct sigaction first {};
  ours.sa_handler = on_signal_before;
  sigaction(SIGTERM, &ours, &first);
  {
    counts heard;
    const signal_watch watch{[&](int n) { heard.add(n); }};
    std::raise(SIGTERM);
    CAF_CHECK(heard.wait_for(1));
    CAF_CHECK_EQUAL(before, 0);
  }
  std::raise(SIGTERM);
  CAF_CHECK_EQUAL(before, 1);
  sigaction(SIGTERM, &first, nullptr);
}

CAF_TEST(a watch may follow another a hundred times) {
  for (int n = 0; n < 100; ++n) {
    counts heard;
    const signal_watch watch{[&](int count) { heard.add(count); }};
    std::raise(SIGINT);
    CAF_REQUIRE(heard.wait_for(1));
  }
}
