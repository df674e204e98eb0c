#define CAF_SUITE thread_crew
#include "inbox/test/unit.hpp"

#include <atomic>
#include <condition_variable>
#include <set>

#include "inbox/actors/thread_crew.hpp"
#include "inbox/test/scripted_table.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

std::vector<shared_delivery> rows_of(delivery_number first,
                                     delivery_number last) {
  const auto of = test::scripted_queue(form::row_lock);
  std::vector<std::string> names;
  for (const auto& c : of->description().columns())
    names.push_back(c.name);
  std::vector<delivery> all;
  for (auto number = first; number <= last; ++number) {
    row_set::builder row{names};
    for (const auto& v :
         {value{1}, value{"emails"}, value{}, value{1}, value{"payload"}})
      row.add(v);
    const claimed_rows c{1, 1, std::move(row).finish(), {}, {}};
    all.push_back(test::unbox(delivery::from_row(of, c, 0, number)));
  }
  return share(std::move(all));
}

/// What came of the calls; waits for more.
struct results {
  results()
    : out{std::make_shared<call_ends>([this] {
        const std::lock_guard lock{mutex};
        nudged = true;
        changed.notify_all();
      })} {}

  bool wait_for(std::size_t count) {
    std::vector<call_end> fresh;
    for (;;) {
      out->take(fresh);
      std::move(fresh.begin(), fresh.end(), std::back_inserter(seen));
      if (seen.size() >= count)
        return true;
      std::unique_lock lock{mutex};
      if (!changed.wait_for(lock, 20s, [&] { return nudged; }))
        return false;
      nudged = false;
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool nudged = false;
  std::vector<call_end> seen;
  std::shared_ptr<call_ends> out;
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

CAF_TEST(one thread runs its calls in order and reports each end) {
  results got;
  thread_crew crew{handler{[](const delivery& d, context&) -> handled {
                     return d.number() % 2 ? ack() : drop();
                   }},
                   {},
                   got.out};
  CAF_CHECK_EQUAL(crew.room(0), 1u);
  CAF_CHECK_EQUAL(crew.room(199), 200u);
  crew.run(rows_of(1, 200));
  CAF_REQUIRE(got.wait_for(200));
  for (std::size_t i = 0; i < 200; ++i) {
    CAF_CHECK_EQUAL(got.seen[i].delivery, i + 1);
    CAF_CHECK(*got.seen[i].answer == (i % 2 ? drop() : ack()));
  }
}

CAF_TEST(a slow call keeps nobody but itself) {
  results got;
  latch release;
  thread_crew crew{handler{[&](const delivery& d, context&) -> handled {
                     if (d.number() == 1)
                       release.wait();
                     return ack();
                   }},
                   {.threads = 2},
                   got.out};
  crew.run(rows_of(1, 50));
  CAF_REQUIRE(got.wait_for(49));
  CAF_CHECK_EQUAL(crew.running(), 1u);
  CAF_CHECK_EQUAL(crew.room(0), 1u);
  release.open();
  CAF_REQUIRE(got.wait_for(50));
  CAF_CHECK_EQUAL(crew.room(0), 2u);
}

CAF_TEST(what has not begun can be taken back and never runs) {
  results got;
  latch inside;
  latch release;
  std::atomic<int> ran{0};
  thread_crew crew{handler{[&](const delivery&, context&) -> handled {
                     ++ran;
                     inside.open();
                     release.wait();
                     return ack();
                   }},
                   {},
                   got.out};
  crew.run(rows_of(1, 4));
  CAF_REQUIRE(inside.wait());
  CAF_CHECK_EQUAL(crew.room(5), 2u);
  CAF_CHECK(crew.take_back() == (std::vector<delivery_number>{2, 3, 4}));
  CAF_CHECK(crew.take_back().empty());
  release.open();
  CAF_REQUIRE(got.wait_for(1));
  CAF_CHECK_EQUAL(ran.load(), 1);
}

CAF_TEST(a call that takes its time after quick ones is helped with the rest) {
  results got;
  latch inside;
  latch release;
  thread_crew crew{handler{[&](const delivery& d, context&) -> handled {
                     if (d.number() == 1001) {
                       inside.open();
                       release.wait();
                     }
                     return ack();
                   }},
                   {.threads = 2},
                   got.out};
  // One by one, so that a call is known to be quick.
  for (delivery_number n = 1; n <= 1000; ++n) {
    crew.run(rows_of(n, n));
    CAF_REQUIRE(got.wait_for(n));
  }
  CAF_CHECK_EQUAL(crew.pace(0ms), 0u);
  crew.run(rows_of(1001, 1050));
  CAF_REQUIRE(inside.wait());
  crew.help();
  crew.help();
  CAF_REQUIRE(got.wait_for(1049));
  crew.help();
  CAF_CHECK(!crew.gathers());
  release.open();
  CAF_REQUIRE(got.wait_for(1050));
}

CAF_TEST(C-220 a batch handler is given as many rows as it takes) {
  results got;
  std::vector<std::size_t> sizes;
  batch_handler by_four{
    [&](std::span<const shared_delivery> rows, const auto&) {
      sizes.push_back(rows.size());
      std::vector<handled> answers;
      for (const auto& r : rows)
        answers.emplace_back(r->number() == 3 ? retry() : ack());
      return answers;
    }};
  thread_crew crew{by_four, {.batch = 4}, got.out};
  CAF_CHECK_EQUAL(crew.room(0), 4u);
  crew.run(rows_of(1, 6));
  CAF_REQUIRE(got.wait_for(6));
  CAF_CHECK(sizes == (std::vector<std::size_t>{4, 2}));
  for (const auto& end : got.seen)
    CAF_CHECK(*end.answer == (end.delivery == 3 ? retry() : ack()));
}

CAF_TEST(a batch handler that answers too few fails the rest) {
  results got;
  batch_handler one_short{
    [](std::span<const shared_delivery> rows, const auto&) {
      return std::vector<handled>(rows.size() - 1, handled{ack()});
    }};
  thread_crew crew{one_short, {.batch = 2}, got.out};
  crew.run(rows_of(1, 2));
  CAF_REQUIRE(got.wait_for(2));
  CAF_CHECK(got.seen[0].answer.has_value());
  CAF_CHECK(test::refusal(got.seen[1].answer).code() == errc::handler_failed);
}

CAF_TEST(a batch is asked to end once none of its rows is held) {
  results got;
  latch inside;
  batch_handler until_asked{
    [&](std::span<const shared_delivery> rows, const auto& signal) {
      latch asked;
      const std::stop_callback call{signal->token(), [&] { asked.open(); }};
      inside.open();
      asked.wait();
      return std::vector<handled>(rows.size(), handled{ack()});
    }};
  thread_crew crew{until_asked, {.batch = 2}, got.out};
  crew.run(rows_of(1, 2));
  CAF_REQUIRE(inside.wait());
  crew.stop(1, stop_reason::lease_lost);
  CAF_CHECK(got.seen.empty());
  CAF_CHECK_EQUAL(crew.running(), 2u);
  crew.stop(2, stop_reason::lease_lost);
  CAF_REQUIRE(got.wait_for(2));
  CAF_CHECK(got.seen[0].asked == stop_reason::lease_lost);
}

CAF_TEST(a handler that watches its signal ends when it is asked to) {
  results got;
  latch inside;
  thread_crew crew{handler{[&](const delivery&, context& about) -> handled {
                     latch asked;
                     const std::stop_callback call{about.stopping(),
                                                   [&asked] { asked.open(); }};
                     inside.open();
                     if (!asked.wait())
                       return drop();
                     return about.why() == stop_reason::draining ? retry()
                                                                 : drop();
                   }},
                   {},
                   got.out};
  crew.run(rows_of(1, 1));
  CAF_REQUIRE(inside.wait());
  crew.stop_all(stop_reason::draining);
  CAF_REQUIRE(got.wait_for(1));
  CAF_CHECK(*got.seen[0].answer == retry());
  CAF_CHECK(got.seen[0].asked == stop_reason::draining);
}

CAF_TEST(a signal that was used says nothing to the next call) {
  results got;
  latch inside;
  std::atomic<int> asked{0};
  thread_crew crew{handler{[&](const delivery& d, context& about) -> handled {
                     if (d.number() > 1) {
                       asked += about.why() == stop_reason::none ? 0 : 1;
                       return ack();
                     }
                     inside.open();
                     while (!about.stopping().stop_requested())
                       std::this_thread::yield();
                     return ack();
                   }},
                   {},
                   got.out};
  crew.run(rows_of(1, 2));
  CAF_REQUIRE(inside.wait());
  crew.stop(2, stop_reason::lease_lost); // does not run yet
  crew.stop_older(std::chrono::steady_clock::now(), stop_reason::timed_out);
  CAF_REQUIRE(got.wait_for(2));
  CAF_CHECK_EQUAL(asked.load(), 0);
  CAF_CHECK(got.seen[0].asked == stop_reason::timed_out);
  CAF_CHECK(got.seen[1].asked == stop_reason::none);
}

CAF_TEST(closing waits for idle threads and lets the handler go) {
  auto kept = std::make_shared<int>(7);
  results got;
  thread_crew crew{
    handler{[kept](const delivery&, context&) -> handled { return ack(); }},
    {.threads = 3},
    got.out};
  crew.run(rows_of(1, 9));
  CAF_REQUIRE(got.wait_for(9));
  crew.close();
  CAF_CHECK_EQUAL(kept.use_count(), 1);
  crew.close();
}

CAF_TEST(B71 a stuck handler does not keep its owner and is not heard again) {
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
  const auto begun = std::chrono::steady_clock::now();
  {
    thread_crew crew{handler{[&, end = std::exchange(end, {})](
                               const delivery&, context&) -> handled {
                       inside.open();
                       release.wait();
                       return ack();
                     }},
                     {},
                     got.out};
    crew.run(rows_of(1, 2));
    CAF_REQUIRE(inside.wait());
    CAF_CHECK(crew.abandon() == std::vector<delivery_number>{1});
  }
  CAF_CHECK(std::chrono::steady_clock::now() - begun < 10s);
  release.open();
  CAF_REQUIRE(over.wait());
  std::vector<call_end> late;
  got.out->take(late);
  CAF_CHECK(late.empty());
}

CAF_TEST(nothing passes after the closing and the nudge is let go) {
  auto kept = std::make_shared<int>(0);
  std::atomic<bool> closed{false};
  std::atomic<int> nudges{0};
  std::atomic<int> late{0};
  call_ends ends{[&, kept] {
    ++nudges;
    late += closed ? 1 : 0;
  }};
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (delivery_number d = 1; d <= 20'000; ++d)
        ends.put({d, ack()});
    });
  std::vector<call_end> taken;
  while (nudges < 3) {
    ends.take(taken);
    std::this_thread::yield();
  }
  ends.close();
  closed = true;
  for (auto& t : threads)
    t.join();
  CAF_CHECK_EQUAL(late.load(), 0);
  CAF_CHECK_EQUAL(kept.use_count(), 1);
  ends.close();
}
