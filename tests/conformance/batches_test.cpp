#define CAF_SUITE conformance_batches
#include "inbox/test/conformance.hpp"

#include "inbox/batch.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

/// What a batch handler was called with. Any thread.
struct batches {
  batch_handler answering(std::function<void(batch<std::string>&)> how) {
    return adapt([this, how = std::move(how)](batch<std::string>& rows) {
      std::vector<std::string> payloads;
      for (const auto& item : rows)
        payloads.push_back(item.value());
      note(std::move(payloads));
      how(rows);
    });
  }

  void note(std::vector<std::string> payloads) {
    const std::lock_guard lock{mutex};
    seen.push_back(std::move(payloads));
  }
  std::vector<std::vector<std::string>> all() const {
    const std::lock_guard lock{mutex};
    return seen;
  }

  mutable std::mutex mutex;
  std::vector<std::vector<std::string>> seen;
};

using payloads = std::vector<std::vector<std::string>>;

} // namespace

CONFORMANCE("C-220", "a batch of four takes six rows in two calls") {
  batches seen;
  stand s{where};
  for (const char* payload : {"1", "2", "3", "4", "5", "6"})
    s.add({.payload = payload});
  s.serve(s.queue({.batch = 4}), seen.answering([](auto&) {}));
  INBOX_UNTIL(s, s.count() == 0);
  CAF_CHECK(seen.all() == (payloads{{"1", "2", "3", "4"}, {"5", "6"}}));
  CHECK_SAME(s.settlements(), 6);
}

CONFORMANCE("C-220", "each row of a batch has an outcome of its own") {
  batches seen;
  stand s{where};
  const auto acked = s.add({.payload = "ack"});
  const auto dropped = s.add({.payload = "drop"});
  const auto later = s.add({.payload = "later"});
  const auto again = s.add({.payload = "again"});
  s.serve(s.queue({.batch = 4, .poll_interval = 1h}),
          seen.answering([](batch<std::string>& rows) {
            for (auto& item : rows)
              if (item.value() == "drop")
                item.drop();
              else if (item.value() == "later")
                item.retry_after(1h);
              else if (item.about().attempt() == 1 && item.value() == "again")
                item.retry();
          }));
  INBOX_UNTIL(s, s.count() == 1);
  CHECK_SAME(s.settlements(acked), 1);
  CHECK_SAME(s.settlements(dropped), 1);
  CHECK_SAME(s.settlements(again), 1);
  CHECK_SAME(s.find(later)->attempt.value(), 2);
  CAF_CHECK(seen.all().back() == (std::vector<std::string>{"again"}));
}

CONFORMANCE("C-145", "a row that does not decode is left out of its batch") {
  std::atomic<std::size_t> largest{0};
  std::vector<int> numbers; // the one worker's
  stand s{where};
  s.add({.payload = "[0]"});
  const auto bad = s.add({.payload = "no array"});
  s.add({.payload = "[2]"});
  const auto& served = s.serve(
    s.queue({.batch = 3}), adapt([&](batch<std::vector<int>>& rows) {
      largest = std::max(largest.load(), rows.size());
      for (const auto& item : rows)
        numbers.push_back(item.value().front());
    }));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(largest.load(), 2u);
  CAF_CHECK(numbers == (std::vector<int>{0, 2}));
  CHECK_SAME(s.settlements(bad), 1);
  INBOX_UNTIL(s, s.figures(served).undecodable == 1);
}

CONFORMANCE("C-225", "a handler that throws fails every row of its batch") {
  std::atomic<int> calls{0};
  stand s{where};
  s.add();
  s.add();
  auto how = subscription_settings{.batch = 2, .poll_interval = 20ms};
  how.on_failure = {failure_policy::kind::retry, {}, backoff{1ms, 1.0, 1ms, 0}};
  const auto& served = s.serve(s.queue(std::move(how)),
                               adapt([&](batch<std::string>&) {
                                 if (++calls == 1)
                                   throw std::runtime_error{"out of ink"};
                               }));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.figures(served).failed, 2u);
  CHECK_SAME(s.settlements(), 2);
  CAF_CHECK(s.logged("the handler failed", log_level::warning) == 2);
}

CONFORMANCE("C-221", "the rows of one claim settle together or not at all") {
  batches seen;
  stand s{where};
  s.keep_from_ending(s.add({.payload = "kept"}));
  s.add({.payload = "free"});
  s.serve(s.queue({.batch = 2, .poll_interval = 20ms}),
          seen.answering([](auto&) {}));
  INBOX_UNTIL(s, s.logged("the settlement failed", log_level::error) >= 2);
  CHECK_SAME(s.count(), 2);
  CHECK_SAME(s.settlements(), 0);
  s.let_end();
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 2);
}

CONFORMANCE("C-223", "only the failing row of a batch stays") {
  batches seen;
  stand s{where};
  const auto kept = s.add({.payload = "kept"});
  const auto other = s.add({.payload = "free"});
  s.keep_from_ending(kept);
  s.serve(s.queue({.batch = 2, .lease = 2s}), seen.answering([](auto&) {}));
  INBOX_UNTIL(s, s.count() == 1);
  CHECK_SAME(s.settlements(other), 1);
  CHECK_SAME(s.settlements(kept), 0);
  CAF_CHECK(s.find(kept).has_value());
}

CONFORMANCE("C-220", "a batch needs a handler that takes one") {
  stand s{where};
  CAF_CHECK(s.refusal_of(s.queue({.batch = 2})).code() == errc::declaration);
}
