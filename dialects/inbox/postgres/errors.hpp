#pragma once

#include <span>
#include <string>
#include <string_view>

#include <libpq-fe.h>

#include "inbox/error.hpp"

namespace inbox::postgres {

/// The code of a five-letter SQLSTATE; `errc::statement` for those that have
/// no cause of their own here.
errc classify(std::string_view sqlstate) noexcept;

/// The SQLSTATE inside a message of libpq's own ("FATAL:  28P01: ..."), which
/// is the only place a refused login leaves it; empty when there is none.
std::string_view sqlstate_in(std::string_view message) noexcept;

/// `text` in one line, with every secret replaced by "***".
std::string scrub(std::string_view text, std::span<const std::string> secrets);

/// What a refused statement's result says.
/// @param secrets never appear in the failure.
failure failure_of(const PGresult* refused,
                   std::span<const std::string> secrets);

/// What a connection says that could not be opened.
/// @param needs_password the server asked for one that was not given.
failure login_failure(std::string_view message, bool needs_password,
                      std::span<const std::string> secrets);

/// True when the result says that the session is over.
bool is_fatal(const PGresult* refused) noexcept;

/// True when a statement is to be prepared once more: the server forgot it,
/// or a column it returns has changed its type (B64).
bool is_stale(const PGresult* refused) noexcept;

} // namespace inbox::postgres
