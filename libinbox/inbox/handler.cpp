#include "inbox/handler.hpp"

namespace inbox {

void stop_signal::request(stop_reason why) noexcept {
  // The first reason stays: it is the one the handler acts on.
  auto none = stop_reason::none;
  why_.compare_exchange_strong(none, why);
  source_.request_stop();
}

} // namespace inbox
