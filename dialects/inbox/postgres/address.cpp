#include "inbox/postgres/address.hpp"

#include <memory>

#include <libpq-fe.h>

#include "inbox/postgres/errors.hpp"

namespace inbox::postgres {

namespace {

struct free_options {
  void operator()(PQconninfoOption* o) const noexcept { PQconninfoFree(o); }
};
using options_ptr = std::unique_ptr<PQconninfoOption, free_options>;

options_ptr parse(const std::string& url, std::string& message) {
  char* text = nullptr;
  options_ptr options{PQconninfoParse(url.c_str(), &text)};
  if (text)
    message = text;
  PQfreemem(text);
  return options;
}

std::string option(const PQconninfoOption* options, std::string_view name) {
  for (const auto* o = options; o->keyword; ++o)
    if (o->keyword == name && o->val)
      return o->val;
  return {};
}

bool has_scheme(const std::string& url) {
  return url.starts_with("postgres://") || url.starts_with("postgresql://");
}

/// The URL without user, password and settings, which libpq's complaints
/// would quote.
std::string without_credentials(const std::string& url) {
  const auto begin = url.find("://") + 3;
  auto rest = url.substr(begin, url.find('?', begin) - begin);
  if (const auto at = rest.rfind('@'); at != std::string::npos)
    rest.erase(0, at + 1);
  return url.substr(0, begin) + rest;
}

/// What libpq would take for a host, a port or a database and repeat in its
/// messages, though most likely it is the rest of a password with an @ or a /
/// of its own.
bool has_stray_at(std::string_view url) {
  auto rest = url.substr(url.find("://") + 3);
  const auto end = rest.find_first_of("@/");
  if (end != rest.npos && rest[end] == '@')
    rest.remove_prefix(end + 1);
  return rest.substr(0, rest.find('?')).find('@') != rest.npos;
}

bool is_port(std::string_view text) {
  return text.find_first_not_of("0123456789,") == text.npos;
}

tl::unexpected<failure> unreadable(const std::string& url) {
  std::string complaint;
  parse(without_credentials(url), complaint);
  return refuse(
    errc::invalid_setting,
    "the Postgres URL cannot be read"
      + (complaint.empty() ? std::string{", its user, password or settings"}
                           : ": " + scrub(complaint, {}))
      + "; write postgres://user:password@host:port/database?setting=value, "
        "with %40 for an @ and %2F for a / in a password");
}

/// "db:5432", "a:5432,b:5433" or "a local socket".
std::string place(const PQconninfoOption* options) {
  const auto host = option(options, "host");
  const auto address = option(options, "hostaddr");
  const auto& name = host.empty() ? address : host;
  if (name.empty() || name.front() == '/' || name.front() == '@')
    return "a local socket";
  auto port = option(options, "port");
  if (port.empty())
    port = "5432";
  std::string all;
  for (std::size_t at = 0, nth = 0; at <= name.size(); ++nth) {
    const auto end = std::min(name.find(',', at), name.size());
    // One port for all hosts, or one for each.
    auto begin = std::size_t{0};
    for (std::size_t i = 0; i < nth && port.find(',', begin) != port.npos; ++i)
      begin = port.find(',', begin) + 1;
    all += (all.empty() ? "" : ",") + name.substr(at, end - at) + ":"
           + port.substr(begin, port.find(',', begin) - begin);
    at = end + 1;
  }
  return all;
}

} // namespace

expected<address> read_address(std::string url) {
  if (!has_scheme(url))
    return refuse(errc::unknown_database,
                  "the URL is no Postgres URL; it starts with postgres:// or "
                  "postgresql://");
  std::string complaint;
  const auto options = parse(url, complaint);
  if (!options)
    return unreadable(url);
  if (has_stray_at(url) || !is_port(option(options.get(), "port")))
    return refuse(errc::invalid_setting,
                  "the Postgres URL has a port that is no number or an @ "
                  "behind its host; write %40 for an @ and %2F for a / in a "
                  "password");
  const auto where = place(options.get());
  address a{
    url, "postgres at " + where, where.find(',') != std::string::npos, {}};
  if (const auto password = option(options.get(), "password");
      !password.empty())
    a.secrets.push_back(password);
  a.secrets.push_back(std::move(url));
  return a;
}

std::vector<std::pair<std::string, std::string>>
parameters_of(const address& where) {
  // What comes before the URL is a default, what comes after it stands.
  std::vector<std::pair<std::string, std::string>> all{
    {"fallback_application_name", "inbox"},
    {"keepalives_idle", "30"},
    {"keepalives_interval", "10"},
    {"keepalives_count", "3"},
  };
  if (where.has_several_hosts) // of which one takes writes (B66)
    all.emplace_back("target_session_attrs", "read-write");
  all.emplace_back("dbname", where.url);
  all.emplace_back("client_encoding", "UTF8");
  return all;
}

} // namespace inbox::postgres
