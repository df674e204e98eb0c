#include "enqueue.hpp"

#include <algorithm>

#include "inbox/actors/service.hpp"
#include "inbox/handler_adapt.hpp"
#include "jobs.hpp"

namespace bench {

namespace {

using namespace std::chrono_literals;

class empty_stage final : public stage {
public:
  explicit empty_stage(std::shared_ptr<stage> from) : from_{std::move(from)} {}

  inbox::expected<void> fill(std::size_t rows) override {
    rows_ = rows;
    return from_->fill(0);
  }
  inbox::expected<std::size_t> left() override {
    return from_->left().map(
      [this](std::size_t added) { return rows_ - std::min(added, rows_); });
  }
  std::optional<inbox::duration> server_cpu() override {
    return from_->server_cpu();
  }
  inbox::expected<facts> about() override { return from_->about(); }

private:
  std::shared_ptr<stage> from_;
  std::size_t rows_ = 0;
};

/// A service that only adds: it serves a group without rows.
inbox::expected<inbox::subscription> unread_queue() {
  return jobs({}).map([](inbox::subscription queue) {
    queue.settings.group = "nobody";
    queue.settings.poll_interval = 1h;
    return queue;
  });
}

inbox::expected<void> add_by_service(const inbox::pool& over,
                                     std::size_t at_once, stopwatch& watch,
                                     tally& rows) {
  inbox::service service{over};
  service.serve(unread_queue(),
                inbox::adapt([](std::span<const std::byte>) {}));
  if (auto started = service.start(); !started)
    return started;
  const auto add = [&](std::size_t count) {
    return service.enqueue_many(group_name, new_rows(count)).map(to_ids);
  };
  if (auto added = add_all(at_once, add, watch, rows); !added)
    return added;
  return service.stop();
}

} // namespace

std::shared_ptr<stage> emptied(std::shared_ptr<stage> from) {
  return std::make_shared<empty_stage>(std::move(from));
}

inbox::expected<void> add_all(std::size_t at_once, const add_rows& add,
                              stopwatch& watch, tally& rows) {
  watch.start();
  for (std::size_t added = 0; added < rows.rows();) {
    const auto more = add(std::min(at_once, rows.rows() - added));
    if (!more)
      return tl::make_unexpected(more.error());
    for (const auto id : *more)
      rows.mark(id);
    added += more->size();
  }
  watch.stop();
  return {};
}

std::vector<inbox::new_row> new_rows(std::size_t count) {
  const inbox::new_row one{.payload = std::string(payload_size, 'x'),
                           .group = std::string{group_name}};
  return std::vector(count, one);
}

ids to_ids(const std::vector<inbox::value>& all) {
  ids made;
  made.reserve(all.size());
  for (const auto& v : all)
    made.push_back(*v.view().as_integer());
  return made;
}

subject by_service(const inbox::pool& over, std::size_t at_once) {
  return {"inbox", 1, [=](stopwatch& watch, tally& rows) {
            return add_by_service(over, at_once, watch, rows);
          }};
}

} // namespace bench
