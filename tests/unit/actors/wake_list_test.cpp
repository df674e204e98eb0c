#define CAF_SUITE wake_list
#include "caf/test/dsl.hpp"

#include "inbox/actors/wake_list.hpp"

using namespace inbox;
using inbox::actors::wake_list;

namespace {

using numbers = std::vector<std::size_t>;

struct fixture {
  fixture() {
    queues.add("app.jobs", "emails");
    queues.add("app.jobs", "letters");
    queues.add("app.tasks", std::nullopt);
  }
  numbers woken_by(std::vector<notification> come) const {
    return queues.woken_by(come);
  }

  wake_list queues;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(wake_list_tests, fixture)

CAF_TEST(C-264 each table is listened for once) {
  const auto channels = queues.channels();
  CAF_REQUIRE_EQUAL(channels.size(), 2u);
  CAF_CHECK_EQUAL(channels[0], "app.jobs");
  CAF_CHECK_EQUAL(channels[1], "app.tasks");
}

CAF_TEST(C-264 a group wakes its queue and none wakes all of the table) {
  CAF_CHECK(woken_by({{"app.jobs", "letters"}}) == numbers{1});
  CAF_CHECK(woken_by({{"app.jobs", ""}}) == (numbers{0, 1}));
  CAF_CHECK(woken_by({{"app.jobs", "others"}}).empty());
  CAF_CHECK(woken_by({{"jobs", "letters"}}).empty());
}

CAF_TEST(a queue without a group is woken by any) {
  CAF_CHECK(woken_by({{"app.tasks", "emails"}}) == numbers{2});
  CAF_CHECK(woken_by({{"app.tasks", ""}}) == numbers{2});
}

CAF_TEST(what came together wakes a queue once) {
  CAF_CHECK(woken_by({}).empty());
  CAF_CHECK(woken_by({{"app.tasks", ""},
                      {"app.jobs", "letters"},
                      {"app.tasks", "x"},
                      {"app.jobs", "letters"}})
            == (numbers{1, 2}));
  CAF_CHECK(queues.all() == (numbers{0, 1, 2}));
}

CAF_TEST_FIXTURE_SCOPE_END()
