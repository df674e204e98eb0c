#define CAF_SUITE allocations
#include "allocation_hook.hpp"
#include "inbox/handler_adapt.hpp"
#include "inbox/test/conformance.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

constexpr int warm_up = 2000;

/// Allocations a row from its claim to its settlement, by a queue that has
/// been running. The rows are there at once, as in a drain.
double per_row(stand& s, subscription queue, handler with) {
  leave_this_thread_out();
  s.how_served.log = [](const log_entry&) {};
  auto& served = s.serve(std::move(queue), std::move(with));
  const auto drain = [&](int rows) {
    s.add_many(rows);
    INBOX_UNTIL(s, s.count() == 0);
  };
  drain(warm_up);
  const int rows = s.is_lease() ? 20000 : 4000;
  const auto before = allocations();
  drain(rows);
  const auto found = static_cast<double>(allocations() - before) / rows;
  s.stop(served);
  CAF_MESSAGE("allocations a row: " << found);
  return found;
}

subscription queue_of(const stand& s) {
  subscription_settings how{.workers = 4, .poll_interval = 10ms};
  if (s.is_lease())
    how.prefetch = 100;
  return s.queue(how);
}

/// Of the payload's octets.
handler octets() {
  return adapt([](std::span<const std::byte>) { return ack(); });
}

/// The same queue with ids too long to be kept in place.
subscription with_text_ids(stand& s) {
  s.db().run("ALTER TABLE " + s.name() + " RENAME TO numbers");
  const bool postgres = s.is_postgres();
  s.db().run(
    "CREATE TABLE " + s.name() + " (id text PRIMARY KEY DEFAULT "
    + (postgres ? "repeat(gen_random_uuid()::text, 2)"
                : "(hex(randomblob(32)))")
    + ", name text, attempt integer DEFAULT 1, locked_until "
    + (postgres ? "timestamptz, payload bytea)" : "text, payload blob)"));
  s.db().run("CREATE INDEX words ON " + s.name() + " (name, id)");
  auto queue = queue_of(s);
  table_spec spec;
  spec.schema = queue.description.name().schema();
  spec.name = "jobs";
  for (const auto& c : queue.description.columns())
    if (c.role != column_role::retry_after)
      spec.columns.push_back(c);
  spec.columns.front().type = column_type::text;
  queue.description = unbox(table::make(std::move(spec)));
  return queue;
}

} // namespace

CONFORMANCE("costs", "a row costs few allocations") {
  stand s{where};
  // A row lock's row is to cost 12; it is at 41, and must not cost more.
  CAF_CHECK(per_row(s, queue_of(s), octets()) <= (is_lease(where) ? 2 : 45));
}

CONFORMANCE("C-330", "a handler of the row costs no more than one of octets") {
  stand bytes{where};
  const auto of_octets = per_row(bytes, queue_of(bytes), octets());
  stand rows{where};
  const auto of_rows = per_row(rows, queue_of(rows),
                               adapt([](const row&) { return ack(); }));
  CAF_CHECK(of_rows <= of_octets + 0.2);
}

CONFORMANCE("C-331", "a text id costs one allocation more than a number") {
  if (!is_lease(where))
    return;
  stand numbers{where};
  const auto of_numbers = per_row(numbers, queue_of(numbers), octets());
  stand words{where};
  const auto of_words = per_row(words, with_text_ids(words), octets());
  CAF_CHECK(of_words <= of_numbers + 1.2);
}
