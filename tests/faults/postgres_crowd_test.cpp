#define CAF_SUITE postgres_crowd
#include "jobs_fixture.hpp"

#include <map>
#include <thread>

using namespace inbox;
using test::unbox;

namespace {

using how = settled::how;

constexpr int rows_in_all = 300;
constexpr int threads = 4;

/// Several sessions at work on one table, each on a thread of its own, while
/// the database asks for serializable transactions (B11).
struct crowd_fixture : test::jobs_fixture {
  crowd_fixture() {
    if (!is_skipped())
      run("CREATE TABLE " + schema() + ".settlements (id bigint)");
  }

  void fill() {
    create();
    before_deletes("INSERT INTO " + schema() + ".settlements VALUES (OLD.id);");
    // Statistics of an empty table mislead the planner (B01).
    run("ANALYZE " + table);
    run("INSERT INTO " + table
        + " (name) SELECT 'emails' FROM "
          "generate_series(1, "
        + std::to_string(rows_in_all) + ")");
  }

  /// Claims and acknowledges until nothing is left.
  /// @returns what went wrong; empty when nothing did.
  std::string drain(postgres::connection& on, std::uint32_t limit) {
    std::vector<settlement> ends;
    for (delivery_number n = 0;;) {
      trip t;
      t.statements = statements;
      t.claim = claim_order{1, limit};
      t.settlements = std::move(ends);
      const auto came = on.run(t, host_now());
      for (const auto& s : came.settlements)
        if (s.went != how::done)
          return s.why ? s.why->to_string() : "a settlement was lost";
      if (!*came.claim)
        return came.claim->error().to_string();
      const auto& claimed = **came.claim;
      if (claimed.rows->size() > claimed.asked)
        return "more rows than asked for";
      if (claimed.rows->size() == 0)
        return "";
      ends.clear();
      for (std::size_t i = 0; i < claimed.rows->size(); ++i) {
        settlement s{
          event::ack, ++n, value::copy_of(claimed.rows->at(i, 0)), {}, {}};
        if (claimed.locked_until)
          s.held = token{*claimed.locked_until, 2};
        ends.push_back(std::move(s));
      }
    }
  }

  void check_drained(std::uint32_t limit) {
    std::vector<std::unique_ptr<postgres::connection>> sessions;
    for (int i = 0; i < threads; ++i)
      sessions.push_back(connect());
    std::vector<std::string> wrong(threads);
    std::vector<std::thread> crowd;
    for (std::size_t i = 0; i < threads; ++i)
      crowd.emplace_back([&, i] { wrong[i] = drain(*sessions[i], limit); });
    for (auto& t : crowd)
      t.join();
    for (const auto& w : wrong)
      CAF_CHECK_EQUAL(w, "");
    CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + table), 0);
    CAF_CHECK_EQUAL(count("SELECT count(*) FROM " + schema() + ".settlements"),
                    rows_in_all);
    CAF_CHECK_EQUAL(
      count("SELECT count(DISTINCT id) FROM " + schema() + ".settlements"),
      rows_in_all);
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(postgres_crowd_tests, crowd_fixture)

CAF_TEST(sessions that lease settle each row exactly once - B01 B11) {
  if (is_skipped())
    return;
  serve_leases();
  fill();
  check_drained(5);
}

CAF_TEST(sessions that lock rows settle each row exactly once - B11) {
  if (is_skipped())
    return;
  serve_locks();
  fill();
  check_drained(1);
}

CAF_TEST_FIXTURE_SCOPE_END()
