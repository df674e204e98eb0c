#include "inbox/any/by_url.hpp"

#include <algorithm>
#include <array>

#ifdef INBOX_WITH_POSTGRES
#include "inbox/postgres/pool.hpp"
#endif
#ifdef INBOX_WITH_SQLITE
#include "inbox/sqlite/pool.hpp"
#endif

namespace inbox::any {

namespace {

constexpr auto known
  = "sqlite:PATH and postgres://USER@HOST/DATABASE are served";

/// A database this build leaves out.
[[maybe_unused]] tl::unexpected<failure> not_built(const char* product,
                                                   const char* library) {
  return refuse(errc::unknown_database, std::string{"this build leaves "}
                                          + product + " out; build it with "
                                          + library + " installed");
}

inbox::pool postgres_pool([[maybe_unused]] const std::string& url,
                          const pool_settings& how) {
  if (how.wal)
    return {
      refuse(errc::invalid_setting, "wal is a setting of SQLite; leave it out"),
      how.size};
#ifdef INBOX_WITH_POSTGRES
  return postgres::pool(url, {.size = how.size,
                              .sessions = how.sessions,
                              .listen_notify = how.listen_notify});
#else
  return {not_built("Postgres", "libpqxx"), how.size};
#endif
}

inbox::pool sqlite_pool([[maybe_unused]] const std::string& url,
                        const pool_settings& how) {
  if (how.listen_notify)
    return {refuse(errc::declaration,
                   "listen_notify is of Postgres alone; leave it out: SQLite's "
                   "queues are polled, and rows this process enqueues wake "
                   "them at once"),
            how.size};
#ifdef INBOX_WITH_SQLITE
  return sqlite::pool(url, {.size = how.size,
                            .wal = how.wal,
                            .sessions = how.sessions,
                            .log = how.log});
#else
  return {not_built("SQLite", "SQLiteCpp"), how.size};
#endif
}

/// What stands before the first colon; empty without one. Never the rest,
/// which may hold a password.
std::string scheme_of(const std::string& url) {
  const auto colon = url.find(':');
  return colon == std::string::npos ? "" : url.substr(0, colon);
}

tl::unexpected<failure> unknown(const std::string& scheme) {
  if (scheme == "mysql" || scheme == "mariadb")
    return refuse(errc::unknown_database, scheme
                                            + " is not served by this version; "
                                            + std::string{known});
  return refuse(errc::unknown_database,
                scheme.empty()
                  ? "the URL has no scheme; " + std::string{known}
                  : "no database is called \"" + scheme + "\"; " + known);
}

} // namespace

inbox::pool pool(const std::string& url, const pool_settings& how) {
  const auto scheme = scheme_of(url);
  if (scheme == "postgres" || scheme == "postgresql")
    return postgres_pool(url, how);
  if (scheme == "sqlite")
    return sqlite_pool(url, how);
  return {unknown(scheme), how.size};
}

} // namespace inbox::any
