#include "library.hpp"

#include <span>

#include "inbox/actors/service.hpp"
#include "inbox/handler_adapt.hpp"

namespace bench {

namespace {

using namespace std::chrono_literals;

/// A drain that takes longer is reported as stuck.
constexpr inbox::duration patience = 10min;

inbox::expected<void> wait_until_settled(inbox::service& service, tally& rows) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  if (!rows.wait_for_all(patience))
    return inbox::refuse(inbox::errc::timed_out,
                         "only " + std::to_string(rows.handled()) + " of "
                           + std::to_string(rows.rows())
                           + " rows were handled");
  while (service.snapshot().queues.at(0).acked < rows.rows()) {
    if (std::chrono::steady_clock::now() > give_up)
      return inbox::refuse(inbox::errc::timed_out,
                           "the last rows were not settled");
    if (service.wait(100us))
      return service.stop();
  }
  return {};
}

} // namespace

inbox::expected<void> drain_by_library(const inbox::pool& over,
                                       const serving& how, stopwatch& watch,
                                       tally& rows) {
  auto queue = jobs(how);
  if (!queue)
    return tl::make_unexpected(queue.error());
  inbox::service service{over};
  service.serve(
    *queue, inbox::adapt([&](std::span<const std::byte>, inbox::context& ctx) {
      rows.mark(*ctx.id().as_integer());
    }));
  if (auto started = service.start(); !started)
    return started;
  watch.start();
  if (auto settled = wait_until_settled(service, rows); !settled)
    return settled;
  watch.stop();
  return service.stop();
}

} // namespace bench
