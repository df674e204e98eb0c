#include "inbox/actors/message.hpp"

#include <caf/actor_system_config.hpp>

#include "inbox/outcome.hpp"

namespace inbox {

message message::of(const delivery& d) {
  message m;
  m.queue = d.of().name;
  m.id = d.id().to_display();
  m.attempt = d.attempt().value_or(1);
  m.group = d.group().is_null() ? std::string{} : d.group().to_display();
  if (const auto headers = d.headers())
    if (auto text = to_json(*headers))
      m.headers = std::move(*text);
  m.payload = d.payload();
  return m;
}

void configure(caf::actor_system_config& host) {
  host.add_message_type<message>("inbox::message");
  host.add_message_type<outcome>("inbox::outcome");
}

} // namespace inbox
