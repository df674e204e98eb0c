#define CAF_SUITE sqlite_write_queue
#include "inbox/test/unit.hpp"

#include <fstream>
#include <thread>

#include "file_fixture.hpp"
#include "inbox/sqlite/write_queue.hpp"

using namespace inbox;
using namespace inbox::test;
using sqlite::breaker;
using sqlite::write_queue;
using sqlite::write_turn;

namespace {

constexpr auto never = write_queue::instant::min();
constexpr auto ages = write_queue::instant::max();

} // namespace

CAF_TEST_FIXTURE_SCOPE(write_queues, file_fixture)

CAF_TEST(the writers of one file share a queue whatever they call it) {
  const auto link = folder.file("link.db");
  std::filesystem::create_hard_link(path, link);
  const auto queue = write_queue::of(path.c_str());
  CAF_CHECK(write_queue::of(link.c_str()) == queue);
  std::ofstream{folder.file("other.db")};
  CAF_CHECK(write_queue::of(folder.file("other.db").c_str()) != queue);
  for (const auto* memory : {"", static_cast<const char*>(nullptr)})
    CAF_CHECK(write_queue::of(memory) != write_queue::of(memory));
}

CAF_TEST(transactions and lone writes stand in the queue of their file) {
  const auto on = open();
  const auto queue = write_queue::of(path.c_str());
  const breaker stop;
  unbox(on->begin());
  CAF_CHECK(!queue->enter(never, stop));
  unbox(on->commit());
  CAF_REQUIRE(queue->enter(never, stop));
  CAF_CHECK(refusal(on->begin()).code() == errc::busy);
  CAF_CHECK(refusal(on->execute("INSERT INTO jobs (id) VALUES (1)", {})).code()
            == errc::busy);
  CAF_CHECK_EQUAL(answer(*on, "SELECT count(*) FROM jobs"), "0");
  queue->leave();
  unbox(on->begin());
}

CAF_TEST(one has its turn and the next one after it) {
  write_queue queue;
  const breaker stop;
  CAF_CHECK(queue.enter(never, stop));
  CAF_CHECK(!queue.enter(never, stop));
  queue.leave();
  // The one who gave up stands in nobody's way.
  CAF_CHECK(queue.enter(never, stop));
}

CAF_TEST(who waits goes on when the turn before ends) {
  write_queue queue;
  const breaker stop;
  CAF_REQUIRE(queue.enter(never, stop));
  std::thread next{[&] {
    if (queue.enter(ages, stop))
      queue.leave();
  }};
  queue.leave();
  next.join();
  CAF_CHECK(queue.enter(never, stop));
}

CAF_TEST(who is broken off leaves the queue) {
  write_queue queue;
  const breaker fine;
  breaker broken;
  broken.break_off();
  CAF_REQUIRE(queue.enter(never, fine));
  CAF_CHECK(!queue.enter(ages, broken));
}

CAF_TEST(a turn that is handed on ends once) {
  write_queue queue;
  const breaker stop;
  CAF_REQUIRE(queue.enter(never, stop));
  {
    write_turn kept;
    {
      write_turn first{queue};
      kept = std::move(first);
    }
    CAF_CHECK(!queue.enter(never, stop));
  }
  CAF_CHECK(queue.enter(never, stop));
}

CAF_TEST_FIXTURE_SCOPE_END()
