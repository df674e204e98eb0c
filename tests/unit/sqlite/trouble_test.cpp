#define CAF_SUITE sqlite_trouble
#include "inbox/test/unit.hpp"

#include <atomic>
#include <csignal>
#include <thread>

#include <sys/resource.h>

#include "file_fixture.hpp"
#include "foreign_lock.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

/// While it lives no file of this process grows or is written beyond that
/// many bytes, as on a disk that fails.
class file_limit {
public:
  explicit file_limit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  file_limit(const file_limit&) = delete;
  ~file_limit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
  rlimit before_{};
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(trouble, file_fixture)

CAF_TEST(B52 a lock of another process is a busy error and the session goes on) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  const auto claimed = claim(*on, with);
  foreign_lock other{path};
  const auto end = end_of(claimed, 0);
  trip request;
  request.statements = with;
  request.extensions = {{1, end.id, *end.held}};
  request.claim = claim_order{2, 1};
  auto result = on->run(request, now);
  CAF_CHECK(result.extensions.at(0).went == how::failed);
  CAF_CHECK(result.extensions.at(0).why->code() == errc::busy);
  CAF_CHECK(result.extensions.at(0).why->is_retryable());
  CAF_CHECK(refusal(*result.claim).code() == errc::busy);
  CAF_CHECK(!result.session_lost);
  CAF_CHECK(refusal(on->begin()).code() == errc::busy);
  const value row[] = {value{2}};
  CAF_CHECK(refusal(on->execute("INSERT INTO jobs (id) VALUES (?)", row)).code()
            == errc::busy);
  other.let_go();
  result = on->run(request, now);
  CAF_CHECK(result.extensions.at(0).went == how::done);
}

CAF_TEST(writers of one process wait for each other in turn) {
  pool_settings.sessions = {20s, 60s, 60s};
  constexpr int writers = 4, writes = 25;
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w)
    threads.emplace_back([&, on = std::shared_ptr{open()}] {
      for (int i = 0; i < writes; ++i)
        if (!on->begin()
            || !on->execute("INSERT INTO jobs (name) VALUES ('x')", {})
            || !on->commit())
          ++failed;
    });
  for (auto& t : threads)
    t.join();
  CAF_CHECK_EQUAL(failed.load(), 0);
  CAF_CHECK_EQUAL(answer(*open(), "SELECT count(*) FROM jobs"), "100");
}

CAF_TEST(a transaction that never ends makes the next writer busy) {
  pool_settings.sessions.connect_timeout = 50ms; // bounds the opening alone
  auto holder = open();
  auto on = open();
  unbox(holder->begin());
  const auto why = refusal(on->begin());
  CAF_CHECK(why.code() == errc::busy);
  CAF_CHECK(why.message().find("longer than 100ms") != std::string::npos);
  holder.reset();
  unbox(on->begin());
}

CAF_TEST(a full database refuses what needs room and acknowledges the rest) {
  auto on = open();
  const auto with = statements();
  for (int id = 1; id <= 2; ++id)
    add(*on, id);
  const auto claimed = claim(*on, with);
  execute(*on, "CREATE TABLE log (body); CREATE TRIGGER logs BEFORE DELETE ON "
               "jobs WHEN old.id = 2 BEGIN INSERT INTO log VALUES "
               "(zeroblob(100000)); END");
  execute(*on, "PRAGMA max_page_count = 1");
  const value big[] = {value::bytes(std::string(100'000, 'x'))};
  const auto refused = refusal(
    on->execute("INSERT INTO jobs (body) VALUES (?)", big));
  CAF_CHECK(refused.code() == errc::full);
  CAF_CHECK(refused.is_retryable());
  const auto result = settle(*on, with,
                             {end_of(claimed, 1), end_of(claimed, 0)});
  CAF_CHECK(result.settlements.at(0).went == how::failed);
  CAF_CHECK(result.settlements.at(0).why->code() == errc::full);
  CAF_CHECK(result.settlements.at(1).went == how::done);
  CAF_CHECK(!on->is_lost());
  execute(*on, "PRAGMA max_page_count = 100000");
  CAF_CHECK(settle(*on, with, {end_of(claimed, 1)}).settlements.at(0).went
            == how::done);
}

CAF_TEST(a database that takes no writes says so) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  execute(*on, "PRAGMA query_only = ON");
  trip request;
  request.statements = with;
  request.claim = claim_order{1, 1};
  CAF_CHECK(refusal(*on->run(request, now).claim).code() == errc::read_only);
}

CAF_TEST(B64 statements outlive a change of the schema) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  add(*on, 2);
  const auto claimed = claim(*on, with, 1);
  auto other = open();
  execute(*other, "ALTER TABLE jobs ADD COLUMN note TEXT;"
                  "DROP INDEX jobs_due; CREATE INDEX jobs_due ON jobs (due);"
                  "ALTER TABLE jobs ADD COLUMN later TEXT");
  CAF_CHECK(settle(*on, with, {end_of(claimed, 0)}).settlements.at(0).went
            == how::done);
  const auto next = claim(*on, with);
  CAF_CHECK_EQUAL(ids(next), list{2});
  execute(*other, "ALTER TABLE jobs RENAME TO gone");
  const auto lost = settle(*on, with, {end_of(next, 0)});
  CAF_CHECK(lost.settlements.at(0).why->code() == errc::schema);
  execute(*other, "ALTER TABLE gone RENAME TO jobs");
  CAF_CHECK(settle(*on, with, {end_of(next, 0)}).settlements.at(0).went
            == how::done);
}

CAF_TEST(damage found on the way is reported and names the check) {
  auto on = open();
  add(*on, 1);
  execute(*on, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET "
               "rootpage = 9999 WHERE name = 'jobs'");
  auto fresh = unopened();
  const auto opened = fresh->open();
  const auto with = statements();
  const auto refused = opened ? refusal(fresh->prepare(with)) : opened.error();
  CAF_MESSAGE(refused.to_string());
  CAF_CHECK(refused.message().find("integrity_check") != std::string::npos);
}

CAF_TEST(a commit that is not written is in doubt and the file decides) {
  auto on = open();
  const auto with = statements();
  add(*on, 1);
  const auto claimed = claim(*on, with);
  // A table at the end of a long file, which each acknowledgement writes.
  execute(*on, "CREATE TABLE pad AS SELECT zeroblob(400000);"
               "CREATE TABLE log (body)");
  execute(*on, "CREATE TRIGGER logs AFTER DELETE ON jobs "
               "BEGIN INSERT INTO log VALUES (old.id); END");
  const auto end = end_of(claimed, 0);
  {
    const file_limit small{200'000};
    const auto result = settle(*on, with, {end});
    CAF_CHECK(result.settlements.at(0).went == how::unknown);
    CAF_CHECK(result.settlements.at(0).why.value().is_outcome_unknown());
    CAF_CHECK(result.session_lost.has_value());
    CAF_CHECK(on->is_lost());
  }
  on = open();
  trip request;
  request.statements = with;
  request.read_backs = {end};
  CAF_CHECK(on->run(request, now).read_backs.at(0).went == how::held);
}

CAF_TEST_FIXTURE_SCOPE_END()
