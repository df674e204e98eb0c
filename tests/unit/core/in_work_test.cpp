#define CAF_SUITE in_work
#include "inbox/test/random.hpp"

#include <map>
#include <set>

#include "inbox/in_work.hpp"
#include "inbox/settle.hpp"
#include "inbox/test/deliveries.hpp"

using namespace inbox;
using instant = in_work::instant;
using ending = in_work::ending;
using kind = in_work::step::kind;
using steps = std::vector<in_work::step>;

namespace {

constexpr instant start{std::chrono::hours{1}};

shared_statements capped_at_five() {
  return test::jobs({{column_role::id, column_type::integer},
                     {column_role::group, column_type::text},
                     {column_role::attempt, column_type::integer},
                     {column_role::locked_until, column_type::time}},
                    [](subscription_settings& s) {
                      s.max_attempts = 5;
                      s.dead_letter = "dead";
                    });
}

shared_delivery row_of(delivery_number number, std::int64_t id,
                       int attempt = 1) {
  static const auto of = capped_at_five();
  return std::make_shared<const delivery>(
    test::deliver(of, {id, "emails", attempt, {}}, time_point{30s}, number));
}

} // namespace

CAF_TEST(deliveries start in claim order as workers are free) {
  in_work book{{.workers = 4}};
  for (delivery_number n = 1; n <= 4; ++n)
    book.add(row_of(n, static_cast<std::int64_t>(n)));
  CAF_CHECK(book.next(0, start).empty());
  CAF_CHECK(book.next(2, start) == (steps{{kind::start, 1}, {kind::start, 2}}));
  CAF_CHECK_EQUAL(book.running(), 2u);
  CAF_CHECK_EQUAL(book.waiting(), 2u);
  book.finish(1, ending::gone);
  CAF_CHECK(book.next(1, start) == (steps{{kind::start, 3}}));
  CAF_CHECK_EQUAL(book.size(), 3u);
  CAF_CHECK_EQUAL(book.find(4)->number(), 4u);
  CAF_CHECK(book.find(1) == nullptr);
}

CAF_TEST(C-133 a row claimed again waits until its first delivery ends) {
  in_work book{{.watch = 0s}};
  book.add(row_of(1, 7));
  CAF_REQUIRE_EQUAL(book.next(4, start).size(), 1u);
  book.add(row_of(2, 7, 2));
  book.add(row_of(3, 8));
  CAF_CHECK(book.next(3, start) == (steps{{kind::start, 3}}));
  CAF_CHECK(book.next(2, start).empty());
  book.finish(1, ending::gone);
  CAF_CHECK(book.next(3, start) == (steps{{kind::start, 2}}));
}

CAF_TEST(C-133 a row claimed on a permit runs and keeps a later one waiting) {
  in_work book{{.watch = 0s}};
  book.add_running(row_of(1, 7));
  CAF_CHECK_EQUAL(book.running(), 1u);
  CAF_CHECK(!book.is_waiting(1));
  book.add(row_of(2, 7, 2));
  CAF_CHECK(book.next(2, start).empty());
  // An earlier delivery of the same row that is not over yet changes nothing.
  book.add_running(row_of(3, 7, 3));
  book.finish(1, ending::gone);
  CAF_CHECK(book.next(2, start).empty());
  book.finish(3, ending::gone);
  CAF_CHECK(book.next(2, start) == (steps{{kind::start, 2}}));
}

CAF_TEST(a suspect starts once its neighbours are given back) {
  in_work book{{.workers = 4}};
  book.add(row_of(1, 1, 2));
  book.add(row_of(2, 2));
  book.add(row_of(3, 3, 3));
  CAF_CHECK(book.next(4, start)
            == (steps{{kind::give_back, 2}, {kind::give_back, 3}}));
  CAF_CHECK(!book.may_claim());
  book.finish(2, ending::gone);
  CAF_CHECK(book.next(4, start).empty());
  book.finish(3, ending::gone);
  CAF_CHECK(book.next(4, start) == (steps{{kind::start, 1}}));
  CAF_CHECK(!book.may_claim());
  CAF_CHECK(book.next_due() == start + 250ms);
}

CAF_TEST(a suspect that has run for its watch holds nobody up) {
  in_work book{{.workers = 4}};
  book.add(row_of(1, 1, 2));
  CAF_REQUIRE_EQUAL(book.next(4, start).size(), 1u);
  book.add(row_of(2, 2));
  CAF_CHECK(book.next(3, start + 249ms) == (steps{{kind::give_back, 2}}));
  book.finish(2, ending::gone);
  CAF_CHECK(book.next(3, start + 250ms).empty());
  CAF_CHECK(book.may_claim());
  CAF_CHECK(!book.next_due());
  book.add(row_of(3, 2));
  CAF_CHECK(book.next(3, start + 251ms) == (steps{{kind::start, 3}}));
}

CAF_TEST(a suspect that ends lets the others start) {
  in_work book{{.workers = 4}};
  book.add(row_of(1, 1, 2));
  book.next(4, start);
  book.finish(1, ending::gone);
  CAF_CHECK(book.may_claim());
  book.add(row_of(2, 2));
  CAF_CHECK(book.next(4, start) == (steps{{kind::start, 2}}));
}

CAF_TEST(a row that this process retried is no suspect) {
  in_work book{{.workers = 4}};
  book.add(row_of(1, 1));
  book.next(4, start);
  book.finish(1, ending::retried);
  book.add(row_of(2, 1, 2));
  book.add(row_of(3, 3));
  CAF_CHECK_EQUAL(book.next(4, start).size(), 2u);
  CAF_CHECK(book.may_claim());
  book.finish(2, ending::gone);
  book.finish(3, ending::gone);
  book.add(row_of(4, 1, 4));
  book.next(4, start);
  CAF_CHECK(!book.may_claim());
}

CAF_TEST(only so many retried rows are remembered) {
  in_work book{{.workers = 4, .remembered = 2}};
  for (delivery_number n = 1; n <= 3; ++n) {
    book.add(row_of(n, static_cast<std::int64_t>(n)));
    book.next(1, start);
    book.finish(n, ending::retried);
  }
  book.add(row_of(4, 3, 2));
  book.next(1, start);
  CAF_CHECK(book.may_claim());
  book.add(row_of(5, 1, 2));
  book.next(1, start);
  CAF_CHECK(!book.may_claim());
}

CAF_TEST(B74 a row over its cap is no suspect since it does not run) {
  in_work book{{.workers = 4}};
  book.add(row_of(1, 1, 6));
  book.add(row_of(2, 2));
  CAF_CHECK_EQUAL(book.next(4, start).size(), 2u);
  CAF_CHECK(over_cap(*book.find(1)).has_value());
}

CAF_TEST(without a watch nothing is suspected) {
  in_work book{{.watch = 0s}};
  book.add(row_of(1, 1, 2));
  book.add(row_of(2, 2, 2));
  CAF_CHECK_EQUAL(book.next(4, start).size(), 2u);
  CAF_CHECK(book.may_claim());
}

CAF_TEST(a drain gives back all that has not started) {
  in_work book{{.workers = 4}};
  for (delivery_number n = 1; n <= 3; ++n)
    book.add(row_of(n, static_cast<std::int64_t>(n)));
  book.next(1, start);
  book.on_drain();
  CAF_CHECK(!book.may_claim());
  CAF_CHECK(book.next(1, start)
            == (steps{{kind::give_back, 2}, {kind::give_back, 3}}));
  CAF_CHECK(book.next(1, start).empty());
  book.add(row_of(4, 4));
  CAF_CHECK(book.next(1, start) == (steps{{kind::give_back, 4}}));
}

CAF_TEST(a suspect waits for a worker that is surely free) {
  in_work book{{.workers = 2}};
  book.add(row_of(1, 7));
  book.add(row_of(2, 8));
  book.add(row_of(3, 9));
  CAF_REQUIRE_EQUAL(book.next(10, start).size(), 3u);
  book.add(row_of(4, 10, 2));
  book.add(row_of(5, 11));
  book.finish(1, ending::gone);
  CAF_CHECK(book.next(10, start).empty());
  book.finish(2, ending::gone);
  CAF_CHECK(book.next(10, start) == (steps{{kind::give_back, 5}}));
  book.finish(5, ending::gone);
  CAF_CHECK(book.next(10, start) == (steps{{kind::start, 4}}));
}

CAF_TEST(a row put back waits in its place again) {
  in_work book{{.workers = 2}};
  for (delivery_number n = 1; n <= 4; ++n)
    book.add(row_of(n, static_cast<std::int64_t>(n)));
  CAF_REQUIRE_EQUAL(book.next(3, start).size(), 3u);
  book.put_back(3);
  book.put_back(2);
  book.put_back(2);
  book.put_back(99);
  CAF_CHECK_EQUAL(book.running(), 1u);
  CAF_CHECK_EQUAL(book.waiting(), 3u);
  CAF_CHECK(book.next(2, start) == (steps{{kind::start, 2}, {kind::start, 3}}));
}

CAF_TEST(the newest that wait are given back) {
  in_work book{{}};
  for (delivery_number n = 1; n <= 4; ++n)
    book.add(row_of(n, static_cast<std::int64_t>(n)));
  book.next(1, start);
  CAF_CHECK(book.give_back_newest(2) == (std::vector<delivery_number>{3, 4}));
  CAF_CHECK(!book.is_waiting(4));
  CAF_CHECK(book.give_back_newest(9) == (std::vector<delivery_number>{2}));
  CAF_CHECK_EQUAL(book.size(), 4u);
  book.finish(4, ending::gone);
  CAF_CHECK_EQUAL(book.size(), 3u);
}

CAF_TEST(a delivery that is lost while it waits is taken out) {
  in_work book{{.workers = 4}};
  book.add(row_of(1, 1));
  book.finish(1, ending::gone);
  book.finish(9, ending::gone);
  CAF_CHECK(book.next(1, start).empty());
  CAF_CHECK_EQUAL(book.size(), 0u);
}

namespace {

/// A queue of ten rows whose deliveries are claimed over and over.
class queue_model {
public:
  explicit queue_model(test::random& dice) : dice_{dice} {}

  void step() {
    now_ += std::chrono::milliseconds{dice_.below(100)};
    if (dice_.chance(40))
      add();
    else if (!held_.empty())
      finish(std::next(held_.begin(), dice_.below(size()))->first);
    follow();
  }

  void end() {
    draining_ = true;
    book_.on_drain();
    follow();
    CAF_CHECK_EQUAL(book_.waiting(), 0u);
    while (!held_.empty())
      finish(held_.begin()->first);
    CAF_CHECK_EQUAL(book_.size(), 0u);
    CAF_CHECK_EQUAL(book_.running(), 0u);
  }

private:
  enum class state { waiting, running, leaving };
  struct seen {
    std::int64_t id;
    bool suspect;
    state is;
  };

  std::uint32_t size() const {
    return static_cast<std::uint32_t>(held_.size());
  }

  std::uint32_t count(state is) const {
    std::uint32_t n = 0;
    for (const auto& [number, s] : held_)
      n += s.is == is ? 1 : 0;
    return n;
  }

  void add() {
    const auto id = static_cast<std::int64_t>(dice_.below(10));
    const int attempt = dice_.chance(25) ? 3 : 1;
    held_[++number_] = {id, attempt > 1, state::waiting};
    book_.add(row_of(number_, id, attempt));
  }

  void finish(delivery_number n) {
    if (watched_ == n)
      watched_ = 0;
    held_.erase(n);
    book_.finish(n, ending::gone);
  }

  void follow() {
    if (now_ >= watch_ends_)
      watched_ = 0;
    for (const auto& s : book_.next(4 - count(state::running), now_))
      s.what == kind::start ? started(s.number) : left(s.number);
    CAF_CHECK_EQUAL(book_.running(), count(state::running));
    CAF_CHECK_EQUAL(book_.waiting(), count(state::waiting));
    CAF_CHECK_LESS_OR_EQUAL(book_.running(), 4u);
    if (held_.empty() && !draining_)
      CAF_CHECK(book_.may_claim());
  }

  void started(delivery_number n) {
    CAF_CHECK(watched_ == 0);
    auto& row = held_.at(n);
    CAF_CHECK(row.is == state::waiting);
    for (const auto& [number, s] : held_) {
      CAF_CHECK(s.id != row.id || s.is != state::running);
      if (number < n && s.is == state::waiting)
        CAF_CHECK(is_busy(s.id));
    }
    row.is = state::running;
    if (!row.suspect)
      return;
    CAF_CHECK_EQUAL(count(state::waiting) + count(state::leaving), 0u);
    watched_ = n;
    watch_ends_ = now_ + 250ms;
  }

  bool is_busy(std::int64_t id) const {
    for (const auto& [number, s] : held_)
      if (s.id == id && s.is != state::waiting)
        return true;
    return false;
  }

  void left(delivery_number n) {
    CAF_CHECK(held_.at(n).is == state::waiting);
    held_.at(n).is = state::leaving;
  }

  test::random& dice_;
  in_work book_{{.workers = 4}};
  instant now_ = start;
  delivery_number number_ = 0;
  std::map<delivery_number, seen> held_;
  delivery_number watched_ = 0;
  instant watch_ends_ = start;
  bool draining_ = false;
};

} // namespace

CAF_TEST(whatever is claimed no row runs twice at once and suspects are alone) {
  test::random dice;
  for (int round = 0; round < 50; ++round) {
    queue_model queue{dice};
    for (int i = 0; i < 400; ++i)
      queue.step();
    queue.end();
  }
}
