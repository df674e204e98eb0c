#pragma once

// A session whose trips take virtual time. Included after
// "inbox/test/actors.hpp".

#include "inbox/actors/session.hpp"

namespace inbox::test {

/// A real session without a thread, in front of which every trip waits for
/// `takes`, one after another.
inline actors::session spawn_slow_session(caf::actor_system& sys,
                                          actors::session_place place,
                                          std::shared_ptr<connection> on,
                                          clock_source clock, duration takes) {
  using namespace actors;
  auto inner = spawn_cooperative_session(sys, std::move(place), std::move(on),
                                         std::move(clock));
  return sys.spawn(
    [inner, takes](session::pointer self) -> session::behavior_type {
      return {[inner](open_session m) { caf::anon_send(inner, m); },
              [=](const run_trip& r) { tell_after(self, inner, takes, r); },
              [inner](const run_job& r) { caf::anon_send(inner, r); },
              [=](close_session m) {
                caf::anon_send(inner, m);
                self->quit();
              }};
    });
}

} // namespace inbox::test
