#include "inbox/dialect.hpp"

namespace inbox {

expected<std::string> dialect::channel(const table& t) const {
  return tl::make_unexpected(
    failure{errc::declaration,
            "listen_notify is of Postgres alone; " + std::string{name()}
              + " announces nothing. Leave it out: queues are polled, and rows "
                "this process enqueues wake them at once"}
      .on_table(t.name().qualified()));
}

} // namespace inbox
