#pragma once

#include <cstdint>
#include <string>

#include <caf/fwd.hpp>

#include "inbox/actors/caf.hpp"
#include "inbox/delivery.hpp"

namespace inbox {

/// A delivery as an actor handler receives it: owned values, so that it may
/// cross nodes. The actor answers with an `inbox::outcome`.
struct message {
  std::string queue;
  std::string id; ///< decimal, text as it is, bytes as hex
  std::uint64_t attempt = 1;
  std::string group;
  std::string headers; ///< a JSON object
  std::string payload; ///< octets

  static message of(const delivery& d);

  friend bool operator==(const message&, const message&) = default;

  template <class Inspector>
  friend auto inspect(Inspector& f, message& m) {
    return actors::inspect_fields(f, "inbox::message", m.queue, m.id, m.attempt,
                                  m.group, m.headers, m.payload);
  }
};

/// Makes the messages that cross nodes known to a host's configuration. Call
/// it before the host's actor system exists.
void configure(caf::actor_system_config& host);

} // namespace inbox
