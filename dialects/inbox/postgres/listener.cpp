#include "inbox/postgres/listener.hpp"

#include <algorithm>

#include "inbox/postgres/dialect.hpp"

namespace inbox::postgres {

namespace {

/// How long a quiet server has to show that it is alive. With the notifier's
/// own patience a dead one is noticed within 20 s.
constexpr duration sign_of_life = 10s;

struct free_notify {
  void operator()(PGnotify* n) const noexcept { PQfreemem(n); }
};

} // namespace

expected<void> listener::open(std::span<const std::string> channels) {
  for (const auto& secret : where_.secrets)
    link_.hide(secret);
  auto with = parameters_of(where_);
  // A default: data that a dead peer never acknowledges.
  with.insert(with.begin(), {"tcp_user_timeout", "20000"});
  if (auto in = link_.open(with, within(settings_.connect_timeout)); !in)
    return in;
  std::string listen;
  for (const auto& channel : channels)
    listen += "LISTEN " + dialect{}.quote(channel) + ";";
  return ask(listen, settings_.connect_timeout);
}

expected<std::vector<notification>> listener::wait(duration at_most) {
  auto come = heard();
  if (!come.empty())
    return come;
  auto input = link_.await_input(within(at_most));
  if (!input)
    return tl::make_unexpected(input.error());
  // Quiet for that long: a server that does not answer either is gone.
  if (!*input)
    if (auto alive = ask("SELECT 1",
                         std::min(sign_of_life, settings_.statement_timeout));
        !alive)
      return tl::make_unexpected(alive.error());
  return heard();
}

expected<void> listener::ask(const std::string& text, duration at_most) {
  auto result = link_.run(text.c_str(), within(at_most));
  if (!result)
    return tl::make_unexpected(std::move(result.error()).at(text));
  if (PQresultStatus(result->get()) == PGRES_FATAL_ERROR)
    return tl::make_unexpected(link_.refused(result->get()).at(text));
  return {};
}

std::vector<notification> listener::heard() {
  std::vector<notification> all;
  while (const auto one = std::unique_ptr<PGnotify, free_notify>{
           PQnotifies(link_.raw())})
    all.push_back({one->relname, one->extra});
  return all;
}

} // namespace inbox::postgres
