#include "inbox/postgres/pool.hpp"

#include "inbox/postgres/address.hpp"
#include "inbox/postgres/connection.hpp"
#include "inbox/postgres/dialect.hpp"
#include "inbox/postgres/listener.hpp"

namespace inbox::postgres {

namespace {

class database final : public inbox::database {
public:
  database(address where, session_settings settings)
    : where_{std::move(where)}, settings_{settings} {}

  const inbox::dialect& speaks() const noexcept override { return dialect_; }

  std::unique_ptr<inbox::connection> connect() const override {
    return std::make_unique<connection>(where_, settings_);
  }

  std::unique_ptr<inbox::listener> listen() const override {
    return std::make_unique<listener>(where_, settings_);
  }

  const std::string& description() const noexcept override {
    return where_.description;
  }

private:
  address where_;
  session_settings settings_;
  dialect dialect_;
};

} // namespace

inbox::pool pool(std::string url, pool_settings settings) {
  auto where = read_address(std::move(url));
  if (!where)
    return {tl::make_unexpected(where.error()), settings.size};
  return {shared_database{std::make_shared<const database>(std::move(*where),
                                                           settings.sessions)},
          settings.size, settings.listen_notify};
}

} // namespace inbox::postgres
