#define CAF_SUITE settlement_batch
#include "inbox/test/unit.hpp"

#include "inbox/settlement_batch.hpp"

using namespace inbox;

namespace {

settlement ack_of(delivery_number d) {
  return {event::ack, d, 7, {}, {}};
}

} // namespace

CAF_TEST(a lone settlement leaves at once) {
  settlement_batch batch{{}};
  CAF_CHECK(batch.is_idle());
  CAF_CHECK(!batch.next());
  batch.add(ack_of(1));
  const auto leaves = batch.next();
  CAF_REQUIRE(leaves.has_value());
  CAF_CHECK(leaves->settlements == std::vector{ack_of(1)});
  CAF_CHECK(!leaves->claim);
  CAF_CHECK(!batch.is_idle());
  batch.on_done();
  CAF_CHECK(batch.is_idle());
}

CAF_TEST(what comes while the trips run leaves with the next one in order) {
  settlement_batch batch{{.most = 3, .in_flight = 1}};
  batch.add(ack_of(1));
  CAF_CHECK(batch.next().has_value());
  for (delivery_number d = 2; d < 6; ++d)
    batch.add(ack_of(d));
  CAF_CHECK(!batch.next());
  batch.on_done();
  const auto second = batch.next();
  CAF_REQUIRE(second.has_value());
  CAF_CHECK(second->settlements
            == (std::vector{ack_of(2), ack_of(3), ack_of(4)}));
  batch.on_done();
  CAF_CHECK(batch.next()->settlements == std::vector{ack_of(5)});
}

CAF_TEST(a claim joins the settlements or leaves alone) {
  settlement_batch batch{{.most = 10, .in_flight = 3}};
  batch.add_claim({1, 5});
  const auto alone = batch.next();
  CAF_REQUIRE(alone.has_value());
  CAF_CHECK(alone->settlements.empty());
  CAF_CHECK(alone->claim == (claim_order{1, 5}));
  batch.add(ack_of(1));
  batch.add_claim({2, 5});
  batch.add_claim({3, 5});
  const auto joined = batch.next();
  CAF_CHECK_EQUAL(joined->settlements.size(), 1u);
  CAF_CHECK_EQUAL(joined->claim->number, 2u);
  CAF_CHECK(batch.next()->claim->number == 3u);
}

CAF_TEST(a settlement of unknown outcome is read back and never sent again) {
  settlement_batch batch{{}};
  batch.add_read_back(ack_of(1));
  const auto leaves = batch.next();
  CAF_REQUIRE(leaves.has_value());
  CAF_CHECK(leaves->settlements.empty());
  CAF_CHECK(leaves->read_backs == std::vector{ack_of(1)});
}
