#include "inbox/postgres/borrowed_transaction.hpp"

#include <utility>

namespace inbox::postgres {

lent_policy::handle lent_policy::do_startconnect(handle now) {
  // Asked twice on the way up; after a loss there is nothing more to give, so
  // libpqxx reports a broken connection instead of opening another.
  return now ? now : std::exchange(lent_, nullptr);
}

lent_connection::lent_connection(link& owner)
  : lent_policy{owner.raw()},
    pqxx::connection_base{static_cast<pqxx::connectionpolicy&>(*this)},
    owner_{owner} {
  init();
}

lent_connection::~lent_connection() noexcept {
  close();
}

borrowed_transaction::borrowed_transaction(pqxx::connection_base& lent)
  : pqxx::internal::namedclass{"borrowed_transaction"},
    pqxx::dbtransaction{lent} {
  Begin(); // from here on libpqxx tells us of a commit or an abort
}

borrowed_transaction::~borrowed_transaction() noexcept {
  ending_ = true; // libpqxx aborts what is open; that is no misuse
  End();
}

pqxx::result borrowed_transaction::do_exec(const char query[]) {
  return direct_exec(query);
}

void borrowed_transaction::do_commit() {
  misuse_ = "commit";
}

void borrowed_transaction::do_abort() {
  if (!ending_)
    misuse_ = "abort";
}

} // namespace inbox::postgres
