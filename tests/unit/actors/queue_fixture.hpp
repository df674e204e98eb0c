#pragma once

// A whole queue under virtual time: its real actors, a real pool and real
// sessions over a table in memory. Included after a test's CAF_SUITE.

#include "inbox/actors/message.hpp"
#include "inbox/actors/queue_runtime.hpp"
#include "inbox/test/actors.hpp"
#include "inbox/test/slow_session.hpp"

namespace inbox::test {

/// A handler call of the queue under test: what it answers, and when.
struct scripted_answer {
  outcome what = ack();
  duration after{};
};

struct call_over {
  using local = void;
  std::uint64_t number = 0;
};

struct queue_fixture : actor_fixture {
  using change = std::function<void(subscription_settings&)>;

  void start(form kind, const change& with = {}, std::uint32_t sessions = 8) {
    of = scripted_queue(kind, with);
    table = std::make_shared<scripted_table>(of, wall());
    start_pool(sessions);
    start_queue();
  }

  void start_pool(std::uint32_t sessions) {
    using namespace actors;
    session_pool_settings s;
    s.database = table->database();
    s.book.size = sessions;
    s.log = log.sink();
    s.make_session = [this](session_place place,
                            std::shared_ptr<connection> on) {
      return spawn_slow_session(sys, std::move(place), std::move(on), wall(),
                                1ms);
    };
    pool = spawn_session_pool(sys, std::move(s));
  }

  void start_queue() {
    using namespace actors;
    queue_settings q;
    q.statements = of;
    q.target = spawn_handler();
    q.clock = wall();
    q.log = log.sink();
    q.on_end = [this](std::optional<failure>) { ++ended; };
    q.on_stop = [] {};
    queue = std::make_unique<queue_runtime>(sys, std::move(q), pool);
    messages();
  }

  /// An actor of the host's that answers as `handle` says. Two calls of one
  /// row at once are a failed test (C-133).
  caf::actor spawn_handler() {
    using promise = caf::typed_response_promise<outcome>;
    auto open = std::make_shared<std::map<std::uint64_t, promise>>();
    return handler = sys.spawn([=, this](caf::event_based_actor* self) {
      return caf::behavior{
        [=, this](const message& m) -> promise {
          const auto number = ++calls;
          CAF_REQUIRE(running.insert(m.id).second);
          const auto answer = handle(m);
          auto p = self->make_response_promise<outcome>();
          self->delayed_send(self, answer.after, call_over{number});
          open->emplace(number, p);
          answers[number] = {m.id, answer.what};
          return p;
        },
        [=, this](call_over c) {
          running.erase(answers.at(c.number).first);
          open->at(c.number).deliver(answers.at(c.number).second);
          open->erase(c.number);
          answers.erase(c.number);
        }};
    });
  }

  void drain(bool at_once = false) {
    send(queue->supervised_by(), actors::drain_work{at_once});
  }

  /// Stops everything. @returns the actors of ours that are left.
  std::size_t stop() {
    queue.reset();
    send(pool, actors::close_pool{});
    pool = nullptr;
    caf::anon_send_exit(handler, caf::exit_reason::user_shutdown);
    handler = nullptr;
    messages();
    return alive();
  }

  ~queue_fixture() override {
    if (queue)
      stop();
  }

  std::shared_ptr<scripted_table> table;
  shared_statements of;
  actors::session_pool pool;
  std::unique_ptr<actors::queue_runtime> queue;
  caf::actor handler;
  std::function<scripted_answer(const message&)> handle = [](const message&) {
    return scripted_answer{};
  };
  std::uint64_t calls = 0;
  std::set<std::string> running;
  std::map<std::uint64_t, std::pair<std::string, outcome>> answers;
  int ended = 0;
};

} // namespace inbox::test
