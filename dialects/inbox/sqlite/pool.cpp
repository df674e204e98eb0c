#include "inbox/sqlite/pool.hpp"

#include "inbox/sqlite/connection.hpp"
#include "inbox/sqlite/dialect.hpp"

namespace inbox::sqlite {

namespace {

class file_database final : public database {
public:
  explicit file_database(connection_settings s) : settings_{std::move(s)} {}

  const inbox::dialect& speaks() const noexcept override { return dialect_; }
  std::unique_ptr<inbox::connection> connect() const override {
    return std::make_unique<connection>(settings_);
  }
  const std::string& description() const noexcept override {
    return description_;
  }
  bool has_one_writer() const noexcept override { return true; }

private:
  connection_settings settings_;
  dialect dialect_;
  std::string description_{"sqlite"};
};

expected<location> place(const std::string& path_or_url, std::uint32_t size) {
  auto where = parse_location(path_or_url);
  if (where && where->name == ":memory:" && size > 1)
    return refuse(errc::invalid_setting,
                  "\":memory:\" gives each of the " + std::to_string(size)
                    + " sessions an empty database of its own; use a file, "
                      "one session, or for tests the shared-cache URI "
                      "\"file:NAME?mode=memory&cache=shared\"");
  return where;
}

} // namespace

inbox::pool pool(std::string path_or_url, pool_settings settings) {
  auto where = place(path_or_url, settings.size);
  if (!where)
    return {tl::make_unexpected(where.error()), settings.size};
  return {std::make_shared<const file_database>(
            connection_settings{std::move(*where),
                                settings.sessions,
                                settings.wal,
                                {settings.time_check, settings.log}}),
          settings.size};
}

} // namespace inbox::sqlite
