#include "inbox/error.hpp"

#include <ostream>
#include <utility>

namespace inbox {

std::string_view to_string(errc code) noexcept {
  switch (code) {
    case errc::invalid_description: return "invalid_description";
    case errc::invalid_setting: return "invalid_setting";
    case errc::invalid_config: return "invalid_config";
    case errc::unknown_queue: return "unknown_queue";
    case errc::declaration: return "declaration";
    case errc::form_mismatch: return "form_mismatch";
    case errc::unsupported_form: return "unsupported_form";
    case errc::unsupported_opening: return "unsupported_opening";
    case errc::unsupported_fifo: return "unsupported_fifo";
    case errc::lease_on_database_clock: return "lease_on_database_clock";
    case errc::missing_role: return "missing_role";
    case errc::identifier_too_long: return "identifier_too_long";
    case errc::unknown_database: return "unknown_database";
    case errc::connect: return "connect";
    case errc::login_refused: return "login_refused";
    case errc::server_too_old: return "server_too_old";
    case errc::schema: return "schema";
    case errc::already_subscribed: return "already_subscribed";
    case errc::clock_skew: return "clock_skew";
    case errc::statement: return "statement";
    case errc::constraint: return "constraint";
    case errc::conflict: return "conflict";
    case errc::busy: return "busy";
    case errc::full: return "full";
    case errc::read_only: return "read_only";
    case errc::timed_out: return "timed_out";
    case errc::connection_lost: return "connection_lost";
    case errc::outcome_unknown: return "outcome_unknown";
    case errc::no_session: return "no_session";
    case errc::too_large: return "too_large";
    case errc::would_block_itself: return "would_block_itself";
    case errc::null_in_role: return "null_in_role";
    case errc::wrong_type: return "wrong_type";
    case errc::undecodable: return "undecodable";
    case errc::handler_failed: return "handler_failed";
    case errc::lease_lost: return "lease_lost";
    case errc::closed: return "closed";
  }
  return "unknown";
}

failure::failure(errc code, std::string message)
  : code_{code}, message_{std::move(message)} {}

namespace {

void fill(std::string& part, std::string_view value) {
  if (part.empty())
    part = value;
}

} // namespace

failure&& failure::in_subscription(std::string_view name) && {
  fill(subscription_, name);
  return std::move(*this);
}

failure&& failure::on_table(std::string_view qualified) && {
  fill(table_, qualified);
  return std::move(*this);
}

failure&& failure::at(std::string_view statement_or_event) && {
  fill(statement_, statement_or_event);
  return std::move(*this);
}

failure&& failure::with_native(std::string_view code) && {
  fill(native_, code);
  return std::move(*this);
}

bool failure::is_retryable() const noexcept {
  switch (code_) {
    case errc::connect:
    case errc::conflict:
    case errc::busy:
    case errc::full:
    case errc::read_only:
    case errc::timed_out:
    case errc::connection_lost:
    case errc::no_session: return true;
    default: return false;
  }
}

bool failure::is_session_lost() const noexcept {
  switch (code_) {
    case errc::connect:
    case errc::login_refused:
    case errc::read_only: // a demoted node: reconnect to find the new primary
    case errc::timed_out: // the session is broken off to end the statement
    case errc::connection_lost:
    case errc::outcome_unknown: return true;
    default: return false;
  }
}

bool failure::is_outcome_unknown() const noexcept {
  return code_ == errc::outcome_unknown;
}

std::string failure::to_string() const {
  std::string text;
  const auto part = [&text](std::string_view label, const std::string& value) {
    if (!value.empty())
      text.append(label).append(value).append(": ");
  };
  part("", subscription_);
  part("table ", table_);
  part("", statement_);
  text += message_;
  if (!native_.empty())
    text.append(" (").append(native_).append(")");
  return text;
}

std::ostream& operator<<(std::ostream& out, const failure& what) {
  return out << what.to_string();
}

} // namespace inbox
