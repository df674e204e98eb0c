#pragma once

// A supervisor between stand-ins: the test says what the workers answer and
// what the database did. Included after "inbox/test/fakes.hpp".

#include "inbox/actors/supervisor.hpp"

namespace inbox::test {

/// Workers that do nothing until the test says how their calls end.
struct fake_crew : actors::crew {
  fake_crew(std::uint32_t count, std::shared_ptr<actors::call_ends> to)
    : free{count}, out{std::move(to)} {}

  std::uint32_t room(std::uint32_t) const override { return free; }
  void run(std::vector<shared_delivery> rows) override {
    for (auto& d : rows) {
      CAF_REQUIRE(free > 0);
      --free;
      calls.push_back({std::move(d), stop_reason::none, now()});
    }
  }
  void on_end(delivery_number) override { ++free; }
  void lend(delivery_number first, const actors::permit& with) override {
    lent[first] = with;
  }
  void revoke() override {
    lent.clear();
    ++revoked;
  }
  std::uint32_t running() const override {
    return static_cast<std::uint32_t>(calls.size());
  }
  std::vector<delivery_number> take_back() override {
    std::vector<delivery_number> all;
    for (; !calls.empty() && calls.back().unbegun; calls.pop_back(), ++free)
      all.push_back(calls.back().row->number());
    return all;
  }
  void stop(delivery_number d, stop_reason why) override {
    for (auto& c : calls)
      if (c.row->number() == d)
        c.ask(why);
  }
  void stop_all(stop_reason why) override {
    for (auto& c : calls)
      c.ask(why);
  }
  void stop_older(actors::instant begun, stop_reason why) override {
    for (auto& c : calls)
      if (c.since <= begun)
        c.ask(why);
  }
  std::vector<delivery_number> abandon() override {
    out->close();
    std::vector<delivery_number> all;
    for (const auto& c : std::exchange(calls, {}))
      all.push_back(c.row->number());
    return all;
  }

  struct call {
    void ask(stop_reason reason) {
      if (why == stop_reason::none)
        why = reason;
    }
    shared_delivery row;
    stop_reason why;
    actors::instant since;
    bool unbegun = false;
  };
  std::uint32_t free;
  std::shared_ptr<actors::call_ends> out;
  std::vector<call> calls;
  std::map<delivery_number, actors::permit> lent;
  int revoked = 0;
  std::function<actors::instant()> now;
};

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
                [](const claim_failed&) {},
                [f](const other_claim& c) { f->others.push_back(c); }};
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
    const auto& how = of->of().settings;
    calls_out = std::make_shared<call_ends>([] {});
    workers = std::make_shared<fake_crew>(how.workers * how.batch, calls_out);
    workers->now = [this] { return steady(); };
    send(work, begin{{demand, keeper}, workers, calls_out});
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
    std::optional<actors::permit> with;
    if (!lease)
      with = actors::permit{claims, c.asked};
    send(work, actors::arrived{std::move(c), steady(), std::move(with)});
  }

  void arrive_fresh(std::int64_t first, std::int64_t last) {
    std::vector<scripted_row> rows;
    for (auto id = first; id <= last; ++id)
      rows.push_back({.id = id});
    arrive(rows);
  }

  /// The oldest call ends with this answer.
  void answer(handled with) {
    CAF_REQUIRE(!calls().empty());
    const auto call = calls().front();
    calls().erase(calls().begin());
    late_answer(*call.row, std::move(with), call.why);
  }

  std::vector<fake_crew::call>& calls() { return workers->calls; }

  /// A call ends that the crew has left to itself.
  void late_answer(const delivery& d, handled with,
                   stop_reason why = stop_reason::none) {
    calls_out->put({d.number(), std::move(with), why});
    send(work, actors::calls_ended{});
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
    return *workers->calls.at(call).row->id().as_integer();
  }
  stop_reason why(std::size_t call) const {
    return workers->calls.at(call).why;
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
  std::vector<actors::other_claim> others;
  int wakes = 0;
  std::vector<actors::hold> holds;
  std::vector<settlement> ends;
  std::shared_ptr<actors::call_ends> calls_out;
  std::shared_ptr<fake_crew> workers;
  std::vector<std::optional<failure>> ended;
  int stops = 0;
  std::uint64_t claims = 0;
};

} // namespace inbox::test
