#define CAF_SUITE conformance_claims
#include "inbox/test/conformance.hpp"

using namespace inbox;
using namespace inbox::test;

namespace shop {

/// The stand's table as a producer writes it, found by the search path.
struct order {
  std::int64_t id;
  std::string name;
  std::vector<std::byte> payload;
};

consteval auto inbox_table(std::type_identity<order>) {
  using namespace inbox::role;
  return inbox::describe<order, "jobs">(id<&order::id>(generated),
                                        group<&order::name>(),
                                        payload<&order::payload>());
}

struct note : order {};

consteval auto inbox_table(std::type_identity<note>) {
  using namespace inbox::role;
  return inbox::describe<note, "notes">(
    id<&note::id>(generated), group<&note::name>(), payload<&note::payload>());
}

} // namespace shop

CONFORMANCE("C-230", "full claims follow each other without a poll") {
  calls seen;
  stand s{where};
  s.add_many(300);
  s.serve(s.queue({.workers = 2, .prefetch = 20, .poll_interval = 1h}),
          seen.answering(ack()));
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 300u);
  CHECK_SAME(s.settlements(), 300);
}

CONFORMANCE("C-230", "a short claim waits for the poll interval") {
  calls seen;
  stand s{where};
  const auto& served = s.serve(s.queue({.poll_interval = 700ms}),
                               seen.answering(ack()));
  INBOX_UNTIL(s, s.figures(served).empty_claims == 1);
  const auto quiet = host_now();
  s.add();
  INBOX_UNTIL(s, seen.size() == 1);
  CAF_CHECK(seen.all()[0].at - quiet > 500ms);
}

CONFORMANCE("C-260", "an enqueued row is claimed at once, ahead of the poll") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  INBOX_UNTIL(s, s.figures(served).empty_claims >= 1);
  const auto id = unbox(served.enqueue("emails", {.payload = "one"}));
  INBOX_UNTIL(s, seen.size() == 1);
  CHECK_SAME(seen.all()[0].id, id.view().as_integer().value());
  CHECK_SAME(seen.all()[0].payload, "one");
  INBOX_UNTIL(s, s.count() == 0);
}

CONFORMANCE("C-262", "no wake is lost, whenever the row was written") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.workers = 2, .poll_interval = 1h}),
                         seen.answering(ack()));
  for (int i = 0; i < 40; ++i) {
    // Every other one is written while the last one's claim is under way.
    unbox(served.enqueue("emails", new_row{}));
    if (i % 2)
      INBOX_UNTIL(s, seen.size() == std::size_t(i) + 1);
  }
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(seen.size(), 40u);
}

CONFORMANCE("C-263", "rows written by hand wait for the poll or a wake") {
  calls seen, others;
  stand s{where};
  auto& served = s.make_service();
  served.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  served.serve(s.queue({.poll_interval = 1h}, "other"),
               others.answering(ack()));
  unbox(served.start());
  INBOX_UNTIL(s, s.figures(served, 0).empty_claims == 1
                   && s.figures(served, 1).empty_claims == 1);
  s.add();
  unbox(served.enqueue("other", new_row{}));
  INBOX_UNTIL(s, others.size() == 1);
  CHECK_SAME(s.figures(served, 0).claims, 1u);
  CHECK_SAME(seen.size(), 0u);
  served.wake("emails");
  INBOX_UNTIL(s, seen.size() == 1);
}

CONFORMANCE("B78", "a refused enqueue adds nothing and wakes nobody wrongly") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  const new_row rows[] = {{.payload = "good"}, {.priority = 5}};
  const auto why = refusal(served.enqueue_many("emails", rows));
  CAF_CHECK(why.code() == errc::missing_role);
  CHECK_SAME(s.count(), 0);
  CAF_CHECK(refusal(served.enqueue_many("nobody", rows)).code()
            == errc::unknown_queue);
  unbox(served.enqueue("emails", {.payload = "later"}));
  INBOX_UNTIL(s, seen.size() == 1 && s.count() == 0);
}

CONFORMANCE("B72", "structs are enqueued in their own table's queue alone") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  INBOX_UNTIL(s, s.figures(served).empty_claims >= 1);
  CAF_CHECK(refusal(served.enqueue("emails", shop::note{})).code()
            == errc::unknown_queue);
  if (s.is_postgres()) // whose stand has its table in a schema
    return;
  const std::vector<shop::order> some(2, {0, "emails", {std::byte{'a'}}});
  const auto first = unbox(served.enqueue("emails", some[0]));
  INBOX_UNTIL(s, seen.size() == 1);
  CHECK_SAME(seen.all()[0].payload, "a");
  CHECK_SAME(seen.all()[0].id, first.view().as_integer().value());
  CHECK_SAME(unbox(served.enqueue_many("emails", some)).size(), 2u);
  INBOX_UNTIL(s, seen.size() == 3 && s.count() == 0);
}

CONFORMANCE("B72", "thousands of rows are enqueued together, in order") {
  calls seen;
  stand s{where};
  auto& served = s.serve(s.queue({.workers = 4, .poll_interval = 1h}),
                         seen.answering(ack()));
  CAF_CHECK(
    unbox(served.enqueue_many("emails", std::span<const new_row>{})).empty());
  std::vector<new_row> rows(2000);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].payload = std::to_string(i);
  const auto ids = unbox(served.enqueue_many("emails", rows));
  CHECK_SAME(ids.size(), rows.size());
  INBOX_UNTIL(s, s.count() == 0);
  CHECK_SAME(s.settlements(), 2000);
  for (const auto& c : seen.all()) {
    const auto at = std::stoul(c.payload);
    if (ids[at].view().as_integer() != c.id)
      CAF_FAIL("row " << at << " has another row's id");
  }
}

CONFORMANCE("B72", "one refused row in the middle keeps all of them out") {
  calls seen;
  stand s{where};
  s.db().run("CREATE UNIQUE INDEX once ON " + s.name() + " (payload)");
  auto& served = s.serve(s.queue({.poll_interval = 1h}), seen.answering(ack()));
  std::vector<new_row> rows(20'000); // 100,000 values
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {.payload = std::to_string(i), .delay = 1h};
  std::swap(rows[12'345].payload, rows[0].payload);
  rows[12'345].payload = rows[7].payload;
  const auto why = refusal(served.enqueue_many("emails", rows));
  CAF_CHECK(why.code() == errc::constraint);
  CHECK_SAME(s.count(), 0);
  rows[12'345].payload = "the last one";
  const auto ids = unbox(served.enqueue_many("emails", rows));
  CHECK_SAME(ids.size(), rows.size());
  CHECK_SAME(s.count(), 20'000);
  for (const std::size_t at : {0u, 1u, 999u, 1000u, 12'345u, 19'999u}) {
    const auto id = ids[at].view().to_display();
    CHECK_SAME(
      s.db().count("SELECT count(*) FROM " + s.name() + " WHERE id = " + id
                   + " AND payload = " + s.db().octets(rows[at].payload)),
      1);
  }
}
