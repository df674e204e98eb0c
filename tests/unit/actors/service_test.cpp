#define CAF_SUITE service
#include "inbox/test/unit.hpp"

#include <atomic>
#include <future>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include "inbox/actors/service.hpp"
#include "inbox/test/scripted_table.hpp"

using namespace inbox;

namespace {

using steady = std::chrono::steady_clock;

/// A service over a table in memory, with real threads and clocks.
struct setup {
  explicit setup(form kind = form::lease)
    : of{test::scripted_queue(kind,
                              [](subscription_settings& s) {
                                s.workers = 2;
                                s.poll_interval = 20ms;
                                s.drain_timeout = 200ms;
                              })},
      queue{of->of()},
      table{std::make_shared<test::scripted_table>(of, host_now)} {
    settings.drain_grace = 100ms;
    settings.log = [this](const log_entry& e) {
      const std::lock_guard lock{mutex};
      lines.push_back(e.text);
    };
  }

  pool over(std::uint32_t size = 8) const { return {table->database(), size}; }

  /// Waits for a condition, with a deadline; the service must not end.
  template <class F>
  static bool eventually(service& in, F condition) {
    const auto until = steady::now() + 20s;
    while (!condition() && steady::now() < until)
      if (in.wait(2ms))
        return condition();
    return condition();
  }

  shared_statements of;
  subscription queue;
  std::shared_ptr<test::scripted_table> table;
  service_settings settings;
  std::mutex mutex;
  std::vector<std::string> lines;
};

handled acknowledge(const delivery&, context&) {
  return ack();
}

failure refused_start(service& s) {
  return test::refusal(s.start());
}

} // namespace

CAF_TEST(rows are served until the service is stopped) {
  for (const auto kind : {form::lease, form::row_lock}) {
    setup with{kind};
    with.table->insert_ids(1, 300);
    service s{with.over(), with.settings};
    s.serve(with.queue, acknowledge);
    CAF_REQUIRE(s.start().has_value());
    CAF_CHECK(setup::eventually(s, [&] { return with.table->size() == 0; }));
    CAF_CHECK(s.stop().has_value());
    CAF_CHECK(s.stop().has_value());
    CAF_CHECK_EQUAL(with.table->audit().size(), 300u);
    CAF_CHECK_EQUAL(with.table->connections(), 0u);
  }
}

CAF_TEST(C-103 a table that is missing is refused before anything runs) {
  setup with;
  auto spec = table_spec{};
  spec.name = "absent";
  spec.columns = {
    {"id", column_role::id, false, column_type::integer},
    {"locked_until", column_role::locked_until, false, column_type::time},
    {"payload", column_role::payload, false, column_type::text}};
  service s{with.over(), with.settings};
  s.serve({"lost", test::unbox(table::make(spec)), {}}, acknowledge);
  const auto why = refused_start(s);
  CAF_CHECK(why.code() == errc::schema);
  CAF_CHECK_EQUAL(why.subscription(), "lost");
  CAF_CHECK_EQUAL(why.table(), "absent");
  CAF_CHECK_EQUAL(with.table->connections(), 0u);
}

CAF_TEST(C-100 a database that cannot be reached is refused) {
  setup with;
  with.table->fail_opens(1000, {errc::connect, "nobody listens there"});
  service s{with.over(), with.settings};
  s.serve(with.queue, acknowledge);
  CAF_CHECK(refused_start(s).code() == errc::connect);
}

CAF_TEST(a service that waits for its database starts when it is there) {
  setup with;
  with.settings.wait_for_database = true;
  with.table->fail_opens(3, {errc::connect, "nobody listens there yet"});
  service s{with.over(), with.settings};
  s.serve(with.queue, acknowledge);
  CAF_CHECK(s.start().has_value());
}

CAF_TEST(C-105 C-110 wrong declarations are refused with their queue) {
  setup with;
  service twice{with.over(), with.settings};
  twice.serve(with.queue, acknowledge).serve(with.queue, acknowledge);
  CAF_CHECK(refused_start(twice).code() == errc::already_subscribed);
  with.queue.settings.max_attempts = 3;
  service half{with.over(), with.settings};
  half.serve(with.queue, acknowledge);
  CAF_CHECK(refused_start(half).code() == errc::declaration);
}

CAF_TEST(a pool without a database refuses with its reason) {
  setup with;
  service s{pool{refuse(errc::unknown_database, "no such scheme"), 8}};
  s.serve(with.queue, acknowledge);
  CAF_CHECK(refused_start(s).code() == errc::unknown_database);
}

CAF_TEST(clocks that differ by more than a third of the lease are refused) {
  setup with;
  with.settings.clock = [] { return host_now() + 1h; };
  service s{with.over(), with.settings};
  s.serve(with.queue, acknowledge);
  CAF_CHECK(refused_start(s).code() == errc::clock_skew);
}

CAF_TEST(a service without queues stops at once) {
  setup with;
  service s{with.over(), with.settings};
  CAF_REQUIRE(s.start().has_value());
  int ran = 0;
  CAF_CHECK(s.with_session([&](connection&) -> expected<void> {
               ++ran;
               return {};
             })
              .has_value());
  const auto begun = steady::now();
  CAF_CHECK(s.stop().has_value());
  CAF_CHECK(steady::now() - begun < 3s);
  CAF_CHECK_EQUAL(ran, 1);
}

CAF_TEST(a policy of stop ends the service and is its result) {
  setup with;
  with.queue.settings.on_failure = fail_fast;
  with.table->insert_ids(1, 1);
  service s{with.over(), with.settings};
  s.serve(with.queue, [](const delivery&, context&) -> handled {
    return refuse(errc::handler_failed, "it broke");
  });
  const auto ran = s.run();
  CAF_REQUIRE(!ran.has_value());
  CAF_CHECK(ran.error().code() == errc::handler_failed);
  CAF_CHECK(with.table->find(1).has_value());
}

CAF_TEST(work on a session gives up when none comes free in time) {
  setup with;
  service s{with.over(2), with.settings};
  CAF_REQUIRE(s.start().has_value());
  with.table->hang_opens(true);
  std::promise<void> inside;
  std::promise<void> release;
  auto freed = release.get_future().share();
  auto first = std::async(std::launch::async, [&] {
    return s.with_session([&](connection&) -> expected<void> {
      inside.set_value();
      freed.wait();
      return {};
    });
  });
  inside.get_future().wait();
  const auto why = test::refusal(
    s.with_session([](connection&) -> expected<void> { return {}; }, 50ms));
  CAF_CHECK(why.code() == errc::no_session);
  release.set_value();
  CAF_CHECK(first.get().has_value());
}

CAF_TEST(B71 a hundred services come and go in one actor system) {
  caf::actor_system_config config;
  caf::actor_system host{config};
  const auto before = host.registry().running();
  for (int n = 0; n < 100; ++n) {
    setup with{n % 2 ? form::lease : form::row_lock};
    with.table->insert_ids(1, 5);
    service s{host, with.over(4), with.settings};
    s.serve(with.queue, acknowledge);
    CAF_REQUIRE(s.start().has_value());
    CAF_REQUIRE(setup::eventually(s, [&] { return with.table->size() == 0; }));
    CAF_REQUIRE(s.stop().has_value());
    CAF_REQUIRE_EQUAL(with.table->connections(), 0u);
  }
  host.registry().await_running_count_equal(before);
  CAF_CHECK_EQUAL(host.registry().running(), before);
}

CAF_TEST(B71 a stuck handler and a hanging connect do not keep the host) {
  setup with;
  std::promise<void> release;
  auto freed = release.get_future().share();
  auto over = std::make_shared<std::promise<void>>();
  auto left = over->get_future();
  auto begun = steady::now();
  {
    auto config = std::make_unique<caf::actor_system_config>();
    caf::actor_system host{*config};
    service s{host, with.over(), with.settings};
    std::atomic<bool> inside{false};
    auto stuck = std::make_shared<std::atomic<bool>*>(&inside);
    s.serve(with.queue,
            [freed, over, stuck](const delivery&, context&) -> handled {
              **stuck = true;
              freed.wait_for(60s);
              over->set_value();
              return ack();
            });
    CAF_REQUIRE(s.start().has_value());
    with.table->insert_ids(1, 1);
    CAF_REQUIRE(setup::eventually(s, [&] { return inside.load(); }));
    // The next claim loses its session, and the one after it hangs opening.
    const auto opened = with.table->opened();
    with.table->hang_opens(true);
    with.table->fail_next_trip({errc::connection_lost, "cut"});
    CAF_REQUIRE(
      setup::eventually(s, [&] { return with.table->opened() > opened; }));
    begun = steady::now();
  }
  const auto took = steady::now() - begun;
  CAF_MESSAGE(
    "ms: "
    << std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  CAF_CHECK(took < 3s);
  CAF_CHECK_EQUAL(with.table->connections(), 0u);
  // Given back although its handler still runs.
  CAF_CHECK(with.table->find(1).has_value());
  CAF_CHECK(!with.table->find(1)->locked_until);
  release.set_value();
  left.wait();
  CAF_CHECK(with.table->audit().empty());
}
