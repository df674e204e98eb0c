#define CAF_SUITE handler_thread
#include "inbox/test/unit.hpp"

#include <atomic>
#include <condition_variable>

#include "inbox/actors/handler_thread.hpp"
#include "inbox/test/scripted_table.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

delivery row_of(delivery_number number) {
  const auto of = test::scripted_queue(form::row_lock);
  std::vector<std::string> names;
  for (const auto& c : of->description().columns())
    names.push_back(c.name);
  row_set::builder row{names};
  for (const auto& v :
       {value{1}, value{"emails"}, value{}, value{1}, value{"payload"}})
    row.add(v);
  const claimed_rows c{1, 1, std::move(row).finish(), {}, {}};
  return test::unbox(delivery::from_row(of, c, 0, number));
}

/// What came through a gate; waits for more.
struct results {
  std::shared_ptr<gate> make_gate() {
    return std::make_shared<gate>(
      [this](std::uint32_t worker, delivery_number d, handled answer) {
        const std::lock_guard lock{mutex};
        seen.push_back({worker, d, std::move(answer)});
        changed.notify_all();
      });
  }

  bool wait_for(std::size_t count) {
    std::unique_lock lock{mutex};
    return changed.wait_for(lock, 20s, [&] { return seen.size() >= count; });
  }

  struct one {
    std::uint32_t worker;
    delivery_number delivery;
    handled answer;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<one> seen;
};

/// Opens once.
class latch {
public:
  void open() {
    const std::lock_guard lock{mutex_};
    open_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, 60s, [this] { return open_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

} // namespace

CAF_TEST(a thread runs its calls in order and answers each through the gate) {
  results got;
  handler_thread thread{[](const delivery& d, context&) -> handled {
                          return d.number() % 2 ? ack() : drop();
                        },
                        got.make_gate(), 4};
  for (delivery_number n = 1; n <= 200; ++n)
    thread.run(row_of(n), std::make_shared<stop_signal>());
  CAF_REQUIRE(got.wait_for(200));
  for (std::size_t i = 0; i < 200; ++i) {
    CAF_CHECK_EQUAL(got.seen[i].delivery, i + 1);
    CAF_CHECK_EQUAL(got.seen[i].worker, 4u);
    CAF_CHECK(*got.seen[i].answer == (i % 2 ? drop() : ack()));
  }
}

CAF_TEST(a handler that watches its signal ends when it is asked to) {
  results got;
  handler_thread thread{[](const delivery&, context& about) -> handled {
                          latch asked;
                          const std::stop_callback call{
                            about.stopping(), [&asked] { asked.open(); }};
                          if (!asked.wait())
                            return drop();
                          return about.why() == stop_reason::draining ? retry()
                                                                      : drop();
                        },
                        got.make_gate(), 0};
  auto signal = std::make_shared<stop_signal>();
  thread.run(row_of(1), signal);
  signal->request(stop_reason::draining);
  CAF_REQUIRE(got.wait_for(1));
  CAF_CHECK(*got.seen[0].answer == retry());
}

CAF_TEST(the owner of an idle thread waits for its end) {
  auto kept = std::make_shared<int>(7);
  {
    results got;
    handler_thread thread{
      [kept](const delivery&, context&) -> handled { return ack(); },
      got.make_gate(), 0};
    thread.run(row_of(1), std::make_shared<stop_signal>());
    CAF_REQUIRE(got.wait_for(1));
  }
  CAF_CHECK_EQUAL(kept.use_count(), 1);
}

CAF_TEST(B71 a stuck handler does not keep its owner and answers nobody) {
  results got;
  latch inside;
  latch release;
  latch over;
  // The thread outlives its owner, so what it uses has to.
  struct at_end {
    latch* when;
    ~at_end() { when->open(); }
  };
  auto end = std::make_shared<at_end>(&over);
  auto door = got.make_gate();
  const auto begun = std::chrono::steady_clock::now();
  {
    handler_thread thread{
      [&, end = std::exchange(end, {})](const delivery&, context&) -> handled {
        inside.open();
        release.wait();
        return ack();
      },
      door, 0};
    thread.run(row_of(1), std::make_shared<stop_signal>());
    CAF_REQUIRE(inside.wait());
    door->close();
  }
  CAF_CHECK(std::chrono::steady_clock::now() - begun < 10s);
  release.open();
  CAF_REQUIRE(over.wait());
  CAF_CHECK(got.seen.empty());
}

CAF_TEST(calls that were queued and never started are dropped with the thread) {
  results got;
  std::atomic<int> ran{0};
  latch inside;
  latch release;
  {
    handler_thread thread{[&](const delivery&, context&) -> handled {
                            ++ran;
                            inside.open();
                            release.wait();
                            return ack();
                          },
                          got.make_gate(), 0};
    thread.run(row_of(1), std::make_shared<stop_signal>());
    thread.run(row_of(2), std::make_shared<stop_signal>());
    CAF_REQUIRE(inside.wait());
    release.open();
  }
  CAF_CHECK(got.wait_for(1));
  CAF_CHECK(ran >= 1);
}

CAF_TEST(nothing passes a gate after its closing and its sink is let go) {
  auto kept = std::make_shared<int>(0);
  std::atomic<int> passed{0};
  std::atomic<bool> closed{false};
  std::atomic<int> late{0};
  gate door{[&, kept](std::uint32_t, delivery_number, handled) {
    ++passed;
    late += closed ? 1 : 0;
  }};
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (delivery_number d = 1; d <= 20'000; ++d)
        door.let_in(0, d, ack());
    });
  while (passed < 100)
    std::this_thread::yield();
  door.close();
  closed = true;
  for (auto& t : threads)
    t.join();
  CAF_CHECK_EQUAL(late.load(), 0);
  CAF_CHECK_EQUAL(kept.use_count(), 1);
  door.close();
}
