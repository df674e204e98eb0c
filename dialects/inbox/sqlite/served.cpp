#include "inbox/sqlite/served.hpp"

#include "inbox/sqlite/times.hpp"

namespace inbox::sqlite {

served::served(shared_statements asked, prepared_set ready,
               time_watch::settings watch)
  : asked_{asked},
    ready_{std::move(ready)},
    watch_{std::move(asked), std::move(watch)} {}

expected<served> served::make(open_file& in, shared_statements asked,
                              time_watch::settings watch) {
  auto ready = prepared_set::make(in, asked);
  if (!ready)
    return tl::make_unexpected(ready.error());
  return served{std::move(asked), std::move(*ready), std::move(watch)};
}

expected<void> served::look(open_file& in, time_point now) {
  auto needed = watch_.look(in, now);
  if (!needed)
    return tl::make_unexpected(needed.error());
  return change_to(in, *needed);
}

expected<bool> served::adapts_to(open_file& in, const value_view& id,
                                 const value_view& due) {
  if (shape_ == time_shape::exact || is_plain_time(due))
    return false;
  watch_.on_foreign(id, due);
  if (auto changed = change_to(in, time_shape::exact); !changed)
    return tl::make_unexpected(changed.error());
  return true;
}

expected<void> served::change_to(open_file& in, time_shape shape) {
  if (shape == shape_)
    return {};
  auto twin = dialect{shape}.build(asked_->of());
  if (!twin)
    return tl::make_unexpected(twin.error());
  auto ready = prepared_set::make(in, std::move(*twin));
  if (!ready)
    return tl::make_unexpected(ready.error());
  ready_ = std::move(*ready);
  shape_ = shape;
  return {};
}

} // namespace inbox::sqlite
