#pragma once

#include "inbox/postgres/borrowed_transaction.hpp"
#include "inbox/postgres/connection.hpp"

namespace inbox::test {

/// A session's transaction as a handler has it, for as long as this lives.
struct loan {
  explicit loan(postgres::connection& from) : lent{from.lent()}, tx{lent} {}

  postgres::lent_connection lent;
  postgres::borrowed_transaction tx;
};

} // namespace inbox::test
