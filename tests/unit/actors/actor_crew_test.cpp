#define CAF_SUITE actor_crew
#include "inbox/test/fakes.hpp"

#include "inbox/actors/actor_crew.hpp"
#include "inbox/actors/message.hpp"

using namespace inbox;
using namespace inbox::actors;

namespace {

struct fixture : test::actor_fixture {
  /// A host's actor that does as the function says.
  template <class F>
  void serve(F f, duration timeout = 1min) {
    host = keep(sys.spawn([f](caf::event_based_actor* self) {
      return caf::behavior{[=](const message& m) { return f(self, m); }};
    }));
    front = make_actor_crew(sys, host, 1, timeout, out);
  }

  void call(delivery_number number) {
    const auto of = test::scripted_queue(form::lease);
    std::vector<std::string> names;
    for (const auto& c : of->description().columns())
      names.push_back(c.name);
    row_set::builder row{names};
    for (const auto& v :
         {value{7}, value{"emails"}, value{}, value{2}, value{}, value{"hi"}})
      row.add(v);
    claimed_rows c{1, 1, std::move(row).finish(), {}, time_point{30s}};
    std::vector<delivery> one;
    one.push_back(test::unbox(delivery::from_row(of, c, 0, number)));
    CAF_REQUIRE_EQUAL(front->room(0), 1u);
    front->run(share(std::move(one)));
    hear();
  }

  /// Lets the actors react and takes what ended.
  void hear() {
    messages();
    std::vector<call_end> fresh;
    out->take(fresh);
    for (auto& end : fresh) {
      front->on_end(end.delivery);
      ends.push_back(std::move(end));
    }
  }

  void advance(duration by) {
    test::actor_fixture::advance(by);
    hear();
  }

  std::shared_ptr<call_ends> out = std::make_shared<call_ends>([] {});
  caf::actor host;
  std::unique_ptr<crew> front;
  std::vector<call_end> ends;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(actor_crew_tests, fixture)

CAF_TEST(an actor receives the row as owned values and its answer counts) {
  std::optional<message> seen;
  serve([&](caf::event_based_actor*, const message& m) {
    seen = m;
    return drop();
  });
  call(11);
  CAF_REQUIRE(seen.has_value());
  CAF_CHECK_EQUAL(seen->queue, "emails");
  CAF_CHECK_EQUAL(seen->id, "7");
  CAF_CHECK_EQUAL(seen->attempt, 2u);
  CAF_CHECK_EQUAL(seen->payload, "hi");
  CAF_REQUIRE_EQUAL(ends.size(), 1u);
  CAF_CHECK_EQUAL(ends[0].delivery, 11u);
  CAF_CHECK(ends[0].answer == drop());
}

CAF_TEST(a hundred calls that were answered leave one timer) {
  serve([](caf::event_based_actor*, const message&) { return ack(); }, 1h);
  for (delivery_number n = 1; n <= 100; ++n)
    call(n);
  CAF_CHECK_EQUAL(ends.size(), 100u);
  CAF_CHECK_EQUAL(timers(), 1u);
}

CAF_TEST(an answer that is no outcome is a failed call) {
  serve([](caf::event_based_actor*, const message&) { return 42; });
  call(1);
  CAF_REQUIRE_EQUAL(ends.size(), 1u);
  CAF_REQUIRE(!ends[0].answer.has_value());
  CAF_CHECK(ends[0].answer.error().code() == errc::handler_failed);
}

CAF_TEST(an error as the answer is a failed call) {
  serve([](caf::event_based_actor*, const message&) -> caf::result<outcome> {
    return caf::make_error(caf::sec::bad_function_call);
  });
  call(1);
  CAF_REQUIRE_EQUAL(ends.size(), 1u);
  CAF_CHECK(!ends[0].answer.has_value());
}

CAF_TEST(an actor that dies in its call fails it once and later ones too) {
  serve([](caf::event_based_actor* self, const message&) {
    self->quit(caf::exit_reason::unhandled_exception);
    return self->make_response_promise<outcome>();
  });
  call(1);
  CAF_REQUIRE_EQUAL(ends.size(), 1u);
  CAF_CHECK(!ends[0].answer.has_value());
  call(2);
  CAF_REQUIRE_EQUAL(ends.size(), 2u);
  CAF_CHECK_EQUAL(ends[1].delivery, 2u);
}

CAF_TEST(an actor that stays silent fails its call at the time-out) {
  // The first call is answered after 31 s with a drop, the second after 3 s.
  host = keep(sys.spawn([](caf::event_based_actor* self) {
    auto open
      = std::make_shared<std::vector<caf::typed_response_promise<outcome>>>();
    return caf::behavior{
      [=](const message&) {
        open->push_back(self->make_response_promise<outcome>());
        const bool first = open->size() == 1;
        self->delayed_send(self, std::chrono::seconds{first ? 31 : 3},
                           tick{open->size() - 1});
        return open->back();
      },
      [=](tick t) {
        open->at(t.timer).deliver(t.timer == 0 ? drop() : ack());
      }};
  }));
  front = make_actor_crew(sys, host, 1, 30s, out);
  call(1);
  advance(29'999ms);
  CAF_CHECK(ends.empty());
  advance(1ms);
  CAF_REQUIRE_EQUAL(ends.size(), 1u);
  CAF_CHECK(!ends[0].answer.has_value());
  call(2);
  advance(2s);
  CAF_CHECK_EQUAL(ends.size(), 1u);
  advance(1s);
  CAF_REQUIRE_EQUAL(ends.size(), 2u);
  CAF_CHECK_EQUAL(ends[1].delivery, 2u);
  CAF_CHECK(ends[1].answer == ack());
}

CAF_TEST(without a time-out an actor may take as long as it likes) {
  serve([](caf::event_based_actor* self,
           const message&) { return self->make_response_promise<outcome>(); },
        0s);
  call(1);
  advance(48h);
  CAF_CHECK(ends.empty());
}

CAF_TEST(B71 an actor that never answers is abandoned and not heard again) {
  serve([](caf::event_based_actor* self, const message&) {
    return self->make_response_promise<outcome>();
  });
  call(1);
  CAF_CHECK_EQUAL(front->running(), 1u);
  CAF_CHECK(front->abandon() == std::vector<delivery_number>{1});
  advance(2min);
  CAF_CHECK(ends.empty());
}

CAF_TEST_FIXTURE_SCOPE_END()
