#include "inbox/postgres/errors.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace inbox::postgres {

namespace {

/// By whole code first, then by class (the first two letters).
constexpr std::pair<std::string_view, errc> by_code[] = {
  {"25006", errc::read_only},
  {"25P03", errc::connection_lost}, // idle in a transaction for too long
  {"28000", errc::login_refused},
  {"28P01", errc::login_refused},
  {"3D000", errc::login_refused},
  {"3F000", errc::schema},
  {"40001", errc::conflict},
  {"40P01", errc::conflict},
  {"42501", errc::statement},
  {"42601", errc::statement},
  {"42703", errc::schema},
  {"42804", errc::schema},
  {"42883", errc::schema},
  {"42P01", errc::schema},
  {"42P18", errc::schema},
  {"42846", errc::schema},
  {"53100", errc::full},
  {"53300", errc::connect},
  {"55P03", errc::busy},
  {"57014", errc::timed_out},
  {"57P01", errc::connection_lost},
  {"57P02", errc::connection_lost},
  {"57P03", errc::connection_lost},
  {"57P05", errc::connection_lost},
};

constexpr std::pair<std::string_view, errc> by_class[] = {
  {"08", errc::connection_lost},
  {"23", errc::constraint},
  {"54", errc::too_large},
};

std::string_view field(const PGresult* r, int which) noexcept {
  const char* text = PQresultErrorField(r, which);
  return text ? std::string_view{text} : std::string_view{};
}

/// What to do about it, where that is not plain from the server's words.
std::string_view advice(errc code) noexcept {
  switch (code) {
    case errc::read_only:
      return "; the session will be opened anew, on a server that takes "
             "writes if the URL names one";
    case errc::full: return "; make room on the server's disk";
    case errc::connect:
      return "; lower the pool's size, or raise the server's max_connections "
             "or the CONNECTION LIMIT of role and database";
    case errc::schema:
      return "; create what is missing or correct the description";
    default: return "";
  }
}

} // namespace

errc classify(std::string_view sqlstate) noexcept {
  for (const auto& [code, meaning] : by_code)
    if (code == sqlstate)
      return meaning;
  for (const auto& [prefix, meaning] : by_class)
    if (sqlstate.substr(0, 2) == prefix)
      return meaning;
  return errc::statement;
}

std::string_view sqlstate_in(std::string_view message) noexcept {
  constexpr std::size_t length = 5;
  const auto is_letter = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
  };
  for (auto at = message.find(":  "); at != std::string_view::npos;
       at = message.find(":  ", at + 1)) {
    const auto code = message.substr(at + 3, length);
    if (code.size() == length && std::ranges::all_of(code, is_letter)
        && message.substr(at + 3 + length, 1) == ":")
      return code;
  }
  return {};
}

std::string scrub(std::string_view text, std::span<const std::string> secrets) {
  std::string clean{text};
  for (const auto& secret : secrets) {
    if (secret.empty())
      continue;
    for (auto at = clean.find(secret); at != std::string::npos;
         at = clean.find(secret, at + 3))
      clean.replace(at, secret.size(), "***");
  }
  while (!clean.empty() && (clean.back() == '\n' || clean.back() == ' '))
    clean.pop_back();
  std::ranges::replace(clean, '\n', ' ');
  std::erase(clean, '\t'); // libpq indents its second line
  return clean;
}

failure failure_of(const PGresult* refused,
                   std::span<const std::string> secrets) {
  const auto state = field(refused, PG_DIAG_SQLSTATE);
  auto message = scrub(field(refused, PG_DIAG_MESSAGE_PRIMARY), secrets);
  if (message.empty())
    message = scrub(PQresultErrorMessage(refused), secrets);
  const auto code = state.empty() || is_fatal(refused) ? errc::connection_lost
                                                       : classify(state);
  message += advice(code);
  return failure{code, std::move(message)}.with_native(state);
}

failure login_failure(std::string_view message, bool needs_password,
                      std::span<const std::string> secrets) {
  const auto state = sqlstate_in(message);
  auto code = classify(state);
  // Whatever else the server says before the session stands, the database
  // could not be reached; "permission denied for database" is a login too.
  if (needs_password || state == "42501")
    code = errc::login_refused;
  if (code != errc::login_refused)
    code = errc::connect;
  // The verbose form, which holds the code, ends in the server's source line.
  auto text = scrub(message.substr(0, message.find("\nLOCATION:")), secrets);
  if (const auto at = text.find(state); !state.empty() && at != text.npos)
    text.erase(at, state.size() + 2);
  if (code == errc::login_refused)
    text += "; check user, password and database in the URL";
  else if (state == "53300")
    text += advice(errc::connect);
  else
    text += "; check host and port in the URL and that the server runs";
  return failure{code, std::move(text)}.with_native(state);
}

bool is_fatal(const PGresult* refused) noexcept {
  const auto severity = field(refused, PG_DIAG_SEVERITY_NONLOCALIZED);
  return severity == "FATAL" || severity == "PANIC";
}

bool is_stale(const PGresult* refused) noexcept {
  const auto state = field(refused, PG_DIAG_SQLSTATE);
  // 0A000 has many causes; this one alone comes from the plan cache.
  return state == "26000"
         || (state == "0A000"
             && field(refused, PG_DIAG_SOURCE_FUNCTION)
                  == "RevalidateCachedQuery");
}

} // namespace inbox::postgres
