#pragma once

#include <optional>
#include <string>

#include <pqxx/connection_base>
#include <pqxx/connectionpolicy>
#include <pqxx/dbtransaction>

#include "inbox/postgres/link.hpp"

namespace inbox::postgres {

/// Gives libpqxx a connection that is somebody else's: nothing to connect,
/// nothing to close, and never a second connection under the first's name.
class lent_policy : public pqxx::connectionpolicy {
public:
  explicit lent_policy(handle lent) : connectionpolicy{{}}, lent_{lent} {}

  handle do_startconnect(handle now) override;
  handle do_completeconnect(handle now) override { return now; }
  handle do_dropconnect(handle) noexcept override { return nullptr; }
  handle do_disconnect(handle) noexcept override { return nullptr; }
  bool is_ready(handle now) const noexcept override { return now != nullptr; }

private:
  handle lent_; ///< null once it was given
};

/// libpqxx's view of a link. Cheap; lives no longer than the link, and the
/// link must be out of pipeline mode and idle while the view is used.
class lent_connection final : private lent_policy,
                              public pqxx::connection_base {
public:
  explicit lent_connection(link& owner);
  ~lent_connection() noexcept;

private:
  link& owner_;
};

/// The open transaction of a session as a handler writes in it with libpqxx.
/// Its begin and end belong to the session: `commit` and `abort` do nothing
/// here and are remembered as misuse, which the session refuses to commit.
class borrowed_transaction final : public pqxx::dbtransaction {
public:
  /// @pre the session has begun a transaction.
  explicit borrowed_transaction(pqxx::connection_base& lent);
  ~borrowed_transaction() noexcept override;

  /// The call a handler must not make; nothing when it made none.
  const std::optional<std::string>& misuse() const noexcept { return misuse_; }

private:
  void do_begin() override {}
  pqxx::result do_exec(const char query[]) override;
  void do_commit() override;
  void do_abort() override;

  std::optional<std::string> misuse_;
  bool ending_ = false;
};

} // namespace inbox::postgres
