#pragma once

#include "inbox/driver.hpp"
#include "inbox/postgres/address.hpp"
#include "inbox/postgres/link.hpp"

namespace inbox::postgres {

/// LISTEN on a connection of its own, which runs no other statement and so is
/// never in a transaction that would keep the server's queue from shrinking.
class listener final : public inbox::listener {
public:
  listener(address where, session_settings settings)
    : where_{std::move(where)}, settings_{settings} {}

  expected<void> open(std::span<const std::string> channels) override;
  expected<std::vector<notification>> wait(duration at_most) override;
  void interrupt() noexcept override { link_.interrupt(); }

private:
  expected<void> ask(const std::string& text, duration at_most);
  std::vector<notification> heard();

  address where_;
  session_settings settings_;
  link link_;
};

} // namespace inbox::postgres
