#define CAF_SUITE turns
#include "inbox/test/unit.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <set>
#include <thread>

#include "inbox/actors/thread_crew.hpp"
#include "inbox/test/scripted_table.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

time_point now() {
  return time_point{1h};
}

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

/// Workers over a table in memory. The test claims the first row of each
/// connection, as a session would.
struct fixture {
  using change = std::function<void(subscription_settings&)>;

  explicit fixture(const change& with = {})
    : of{test::scripted_queue(form::row_lock, with)},
      table{std::make_shared<test::scripted_table>(of, now)},
      out{std::make_shared<call_ends>([this] {
        const std::lock_guard lock{mutex};
        nudged = true;
        changed.notify_all();
      })} {}

  void start(thread_crew::call with, std::uint32_t threads = 1,
             std::uint32_t batch = 1) {
    crew = std::make_unique<thread_crew>(
      std::move(with),
      thread_crew::settings{threads, batch, true,
                            std::make_shared<const turns>(
                              turns::settings{of, now, numbers, marks})},
      out);
  }

  std::shared_ptr<connection> connect() {
    std::shared_ptr<connection> on = table->database()->connect();
    CAF_REQUIRE(on->open().has_value());
    connections.push_back(on);
    return on;
  }

  std::vector<shared_delivery> claim(connection& on, std::uint64_t number,
                                     std::uint32_t limit = 1) {
    trip t;
    t.statements = of;
    t.claim = claim_order{number, limit};
    auto rows = test::unbox(std::move(*on.run(t, now()).claim));
    std::vector<delivery> all;
    for (std::size_t i = 0; i < rows.rows->size(); ++i)
      all.push_back(test::unbox(delivery::from_row(of, rows, i, ++*numbers)));
    return share(std::move(all));
  }

  void run(const std::vector<shared_delivery>& rows, permit with) {
    crew->lend(rows.front()->number(), with);
    crew->run(rows);
  }

  /// A claim on a connection of its own goes to the workers with its permit.
  void run_on_permit(std::uint64_t number, std::uint32_t rows = 1) {
    const auto on = connect();
    run(claim(*on, number, rows), {number, rows, on, waiting});
  }

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

  const turn& turn_at(std::size_t i) const { return *seen.at(i).turned; }

  bool marks = false;
  shared_statements of;
  std::shared_ptr<test::scripted_table> table;
  std::shared_ptr<delivery_numbers> numbers
    = std::make_shared<delivery_numbers>(0);
  std::shared_ptr<std::atomic<std::uint32_t>> waiting
    = std::make_shared<std::atomic<std::uint32_t>>(0);
  std::vector<std::shared_ptr<connection>> connections;
  std::mutex mutex;
  std::condition_variable changed;
  bool nudged = false;
  std::vector<call_end> seen;
  std::shared_ptr<call_ends> out;
  std::unique_ptr<thread_crew> crew;
};

thread_crew::call acks() {
  return handler{[](const delivery&, context&) -> handled { return ack(); }};
}

std::size_t trips_that_claim(const test::scripted_table& table) {
  const auto all = table.trips();
  return static_cast<std::size_t>(std::ranges::count_if(
    all, [](const trip& t) { return t.claim.has_value(); }));
}

} // namespace

CAF_TEST(a worker with a permit settles and claims on in one trip a row) {
  fixture f;
  f.table->insert_ids(1, 5);
  f.start(acks());
  f.run_on_permit(1);
  CAF_REQUIRE(f.wait_for(5));
  CAF_CHECK_EQUAL(f.table->trips().size(), 6u); // the test's claim, and five
  CAF_CHECK_EQUAL(f.table->size(), 0u);
  for (std::size_t i = 0; i < 5; ++i) {
    CAF_REQUIRE(f.seen[i].turned != nullptr);
    CAF_CHECK_EQUAL(f.seen[i].delivery, i + 1);
    CAF_CHECK(f.turn_at(i).results[0].went == settled::how::done);
    CAF_CHECK_EQUAL(f.turn_at(i).next.size(), i < 4 ? 1u : 0u);
  }
  CAF_CHECK_EQUAL(test::unbox(f.turn_at(4).claimed).rows->size(), 0u);
  CAF_CHECK_EQUAL(f.crew->room(0), 1u);
}

CAF_TEST(C-294 nothing is claimed once the permit is taken back) {
  fixture f;
  f.table->insert_ids(1, 3);
  latch inside;
  latch release;
  f.start(handler{[&](const delivery&, context&) -> handled {
    inside.open();
    release.wait();
    return ack();
  }});
  f.run_on_permit(1);
  CAF_REQUIRE(inside.wait());
  f.crew->revoke();
  release.open();
  CAF_REQUIRE(f.wait_for(1));
  CAF_CHECK(!f.seen[0].turned);
  CAF_CHECK(f.seen[0].answer == handled{ack()});
  CAF_CHECK_EQUAL(f.table->trips().size(), 1u);
}

CAF_TEST(rows that a trip claimed under a revocation are reported unrun) {
  fixture f;
  f.table->insert_ids(1, 3);
  std::atomic<int> calls{0};
  f.start(handler{[&](const delivery&, context&) -> handled {
    ++calls;
    return ack();
  }});
  f.table->before_trip = [&](const trip& t) -> std::optional<failure> {
    if (!t.settlements.empty())
      f.crew->revoke();
    return {};
  };
  f.run_on_permit(1);
  CAF_REQUIRE(f.wait_for(1));
  CAF_REQUIRE(f.seen[0].turned != nullptr);
  CAF_CHECK(f.turn_at(0).next.empty());
  CAF_CHECK_EQUAL(test::unbox(f.turn_at(0).claimed).rows->size(), 1u);
  CAF_CHECK_EQUAL(calls.load(), 1);
}

CAF_TEST(what goes back to the queue is left to the supervisor) {
  for (const handled& answer :
       {handled{retry()}, handled{retry_after(1s)},
        handled{refuse(errc::handler_failed, "it threw")}}) {
    fixture f;
    f.table->insert_ids(1, 2);
    f.start(handler{[&](const delivery&, context&) { return answer; }});
    f.run_on_permit(1);
    CAF_REQUIRE(f.wait_for(1));
    CAF_CHECK(!f.seen[0].turned);
    CAF_CHECK_EQUAL(f.table->trips().size(), 1u);
  }
}

CAF_TEST(C-133 a row that a worker has is not started by another) {
  fixture f;
  f.table->insert_ids(1, 2);
  latch inside;
  latch release;
  latch other;
  f.start(handler{[&](const delivery& d, context&) -> handled {
            if (*d.id().as_integer() == 1) {
              inside.open();
              release.wait();
            } else {
              other.wait();
            }
            return ack();
          }},
          2);
  f.run_on_permit(1);
  CAF_REQUIRE(inside.wait());
  f.run_on_permit(2);
  // The first worker's session dies: its row is free in the table.
  f.connections.erase(f.connections.begin());
  other.open();
  CAF_REQUIRE(f.wait_for(1));
  CAF_REQUIRE(f.seen[0].turned != nullptr);
  CAF_CHECK_EQUAL(test::unbox(f.turn_at(0).claimed).rows->size(), 1u);
  CAF_CHECK(f.turn_at(0).next.empty());
  f.crew->revoke();
  release.open();
  CAF_CHECK(f.wait_for(2));
}

CAF_TEST(C-132 a failed settlement ends the permits of all workers) {
  fixture f;
  f.table->insert_ids(1, 4);
  f.table->refuse_id(2, failure{errc::constraint, "no"});
  latch inside;
  latch release;
  f.start(handler{[&](const delivery& d, context&) -> handled {
            if (*d.id().as_integer() == 1) {
              inside.open();
              release.wait();
            }
            return ack();
          }},
          2);
  f.run_on_permit(1);
  CAF_REQUIRE(inside.wait());
  f.run_on_permit(2);
  CAF_REQUIRE(f.wait_for(1));
  CAF_REQUIRE(f.seen[0].turned != nullptr);
  CAF_CHECK(f.turn_at(0).results[0].went == settled::how::failed);
  CAF_CHECK(f.turn_at(0).next.empty());
  release.open();
  CAF_REQUIRE(f.wait_for(2));
  CAF_CHECK(!f.seen[1].turned);
}

CAF_TEST(C-115 a failed claim ends the permits) {
  fixture f;
  f.table->insert_ids(1, 1);
  f.start(acks());
  f.table->before_trip = [](const trip& t) -> std::optional<failure> {
    if (t.settlements.empty())
      return std::nullopt;
    return failure{errc::connection_lost, "cut"};
  };
  f.run_on_permit(1);
  CAF_REQUIRE(f.wait_for(1));
  CAF_REQUIRE(f.seen[0].turned != nullptr);
  CAF_CHECK(!f.turn_at(0).claimed);
  CAF_CHECK(!f.turn_at(0).is_settled());
}

CAF_TEST(a permit is good for a while when others wait for a session) {
  fixture f;
  f.table->insert_ids(1, 100'000);
  f.start(acks());
  *f.waiting = 1;
  f.run_on_permit(1);
  CAF_REQUIRE(f.wait_for(1));
  const auto without = [&] {
    return std::ranges::find_if(f.seen,
                                [](const call_end& e) { return !e.turned; })
           != f.seen.end();
  };
  while (!without() && f.wait_for(f.seen.size() + 1)) {
  }
  CAF_CHECK(without());
  CAF_CHECK(f.table->size() > 0);
}

CAF_TEST(claims on a permit begin at a mark and the last one at the start) {
  fixture f;
  f.marks = true;
  constexpr time_point due{30s};
  for (std::int64_t id = 1; id <= 3; ++id)
    f.table->insert({.id = id, .due = due});
  f.start(acks());
  f.run_on_permit(1);
  CAF_REQUIRE(f.wait_for(3));
  std::vector<std::optional<time_point>> began;
  for (const auto& t : f.table->trips())
    began.push_back(t.claim->since);
  // The test's claim; row 1's turn, which knows no mark; those of 2 and 3; and
  // one more, since nothing was left beyond the mark.
  const std::vector<std::optional<time_point>> at{
    {}, {}, due, due, std::nullopt};
  CAF_CHECK(began == at);
  CAF_CHECK_EQUAL(f.turn_at(2).ends.size(), 1u);
  CAF_CHECK(!f.turn_at(2).is_full);
  CAF_CHECK_EQUAL(f.table->size(), 0u);
}

CAF_TEST(C-221 the rows of a claim end and are followed together) {
  fixture f{[](subscription_settings& s) { s.batch = 2; }};
  f.table->insert_ids(1, 5);
  f.start(batch_handler{[](std::span<const shared_delivery> rows, const auto&) {
            return std::vector<handled>(rows.size(), ack());
          }},
          1, 2);
  f.run_on_permit(1, 2);
  CAF_REQUIRE(f.wait_for(2));
  CAF_CHECK_EQUAL(f.turn_at(0).ends.size(), 2u);
  CAF_CHECK_EQUAL(f.turn_at(0).next.size(), 2u);
  // One row is no whole batch: the supervisor has it.
  CAF_CHECK(f.turn_at(1).next.empty());
  CAF_CHECK_EQUAL(test::unbox(f.turn_at(1).claimed).rows->size(), 1u);
}

CAF_TEST(B71 a call that is left to itself takes no turn when it returns) {
  fixture f;
  f.table->insert_ids(1, 2);
  latch inside;
  latch release;
  f.start(handler{[&](const delivery&, context&) -> handled {
    inside.open();
    release.wait();
    return ack();
  }});
  f.run_on_permit(1);
  CAF_REQUIRE(inside.wait());
  CAF_CHECK(f.crew->abandon() == std::vector<delivery_number>{1});
  release.open();
  f.crew.reset();
  CAF_CHECK_EQUAL(trips_that_claim(*f.table), 1u);
  f.out->take(f.seen);
  CAF_CHECK(f.seen.empty());
}

CAF_TEST(B71 a turn under way is no call to be left to itself) {
  fixture f;
  f.table->insert_ids(1, 1);
  latch inside;
  latch release;
  f.table->before_trip = [&](const trip& t) -> std::optional<failure> {
    if (!t.settlements.empty()) {
      inside.open();
      release.wait();
    }
    return {};
  };
  f.start(acks());
  f.run_on_permit(1);
  CAF_REQUIRE(inside.wait());
  CAF_CHECK(f.crew->abandon().empty());
  release.open();
  CAF_REQUIRE(f.wait_for(1));
  CAF_REQUIRE(f.seen[0].turned != nullptr);
  CAF_CHECK(f.turn_at(0).is_settled());
}
