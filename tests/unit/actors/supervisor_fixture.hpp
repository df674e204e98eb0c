#pragma once

// A supervisor between stand-ins: the test says what the workers answer and
// what the database did. Included after "inbox/test/fakes.hpp".

#include "inbox/actors/supervisor.hpp"

namespace inbox::test {

struct supervisor_fixture : actor_fixture {
  using change = std::function<void(subscription_settings&)>;

  void start(form kind = form::lease, const change& with = {}) {
    using namespace actors;
    of = scripted_queue(kind, with);
    work = spawn_supervisor(
      sys, {of, 3s, log.sink(), counters,
            [this](std::optional<failure> why) { ended.push_back(why); },
            [this] {
              ++stops;
              caf::anon_send(work, drain_work{});
            }});
    keep(work);
    demand = keep(sys.spawn(
      [](claimer::pointer self,
         supervisor_fixture* f) -> claimer::behavior_type {
        return {[f](credit c) { f->credits.push_back(c.rows); },
                [f](wake) { ++f->wakes; },
                [](poll) {},
                [self](drain) { self->quit(); },
                [](const claimed&) {},
                [](const claim_failed&) {}};
      },
      this));
    keeper = keep(sys.spawn(
      [](holder::pointer, supervisor_fixture* f) -> holder::behavior_type {
        return {[f](const hold& h) { f->holds.push_back(h); },
                [f](const finish& e) {
                  f->ends.insert(f->ends.end(), e.ends.begin(), e.ends.end());
                }};
      },
      this));
    std::vector<worker> workers;
    for (std::uint32_t n = 0; n < of->of().settings.workers; ++n)
      workers.push_back(keep(sys.spawn(
        [](worker::pointer, supervisor_fixture* f,
           std::uint32_t number) -> worker::behavior_type {
          return {[f, number](const actors::work& w) {
            f->calls.push_back({number, w});
          }};
        },
        this, n)));
    send(work, begin{{demand, keeper}, workers});
  }

  /// Rows of one claim arrive, with the values from before the claim.
  void arrive(const std::vector<scripted_row>& rows) {
    std::vector<std::string> names;
    for (const auto& c : of->description().columns())
      names.push_back(c.name);
    row_set::builder built{names};
    const bool lease = of->description().kind() == form::lease;
    for (const auto& r : rows) {
      built.add(r.id < 0 ? value{} : value{r.id});
      built.add(value{r.group});
      built.add(value{r.due});
      built.add(value{r.attempt});
      if (lease)
        built.add(value{});
      built.add(r.bad ? value{true} : value{r.payload});
    }
    claimed_rows c{++claims,
                   static_cast<std::uint32_t>(rows.size()),
                   std::move(built).finish(),
                   wall()(),
                   {}};
    if (lease)
      c.locked_until = lease_end(wall()(), of->of().settings.lease);
    send(work, actors::arrived{std::move(c), steady()});
  }

  void arrive_fresh(std::int64_t first, std::int64_t last) {
    std::vector<scripted_row> rows;
    for (auto id = first; id <= last; ++id)
      rows.push_back({.id = id});
    arrive(rows);
  }

  /// The oldest call ends with this answer.
  void answer(handled with) {
    CAF_REQUIRE(!calls.empty());
    const auto [number, call] = calls.front();
    calls.erase(calls.begin());
    send(work, actors::worked{number, call.row.number(), std::move(with)});
  }

  /// The oldest end is written, or goes otherwise.
  settlement write(settled::how went = settled::how::done,
                   std::optional<failure> why = {}) {
    CAF_REQUIRE(!ends.empty());
    const auto end = ends.front();
    ends.erase(ends.begin());
    send(work, actors::settled_rows{
                 {end}, {{end.delivery, went, std::move(why), {}}}});
    return end;
  }

  std::int64_t id_of(std::size_t call) const {
    return *calls.at(call).second.row.id().as_integer();
  }
  stop_reason why(std::size_t call) const {
    return calls.at(call).second.signal->why();
  }
  std::uint32_t credit_given() const {
    std::uint32_t all = 0;
    for (const auto c : credits)
      all += c;
    return all;
  }

  shared_statements of;
  std::shared_ptr<actors::queue_counters> counters
    = std::make_shared<actors::queue_counters>();
  actors::supervisor work;
  actors::claimer demand;
  actors::holder keeper;
  std::vector<std::uint32_t> credits;
  int wakes = 0;
  std::vector<actors::hold> holds;
  std::vector<settlement> ends;
  std::vector<std::pair<std::uint32_t, actors::work>> calls;
  std::vector<std::optional<failure>> ended;
  int stops = 0;
  std::uint64_t claims = 0;
};

} // namespace inbox::test
