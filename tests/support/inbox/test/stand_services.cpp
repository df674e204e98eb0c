// What serves a stand's table, and what it said.
#include <algorithm>
#include <condition_variable>

#include "inbox/postgres/pool.hpp"
#include "inbox/sqlite/pool.hpp"
#include "inbox/test/stand.hpp"
#include "inbox/test/unit.hpp"

namespace inbox::test {

namespace {

constexpr auto step = 5ms;
constexpr int rounds = 30s / step;

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '=' ? "%3D" : c == ' ' ? "%20" : std::string{c};
  return out;
}

} // namespace

subscription stand::queue(subscription_settings how, const std::string& name,
                          const std::string& table) const {
  if (!is_lease())
    how.lease = subscription_settings{}.lease;
  return {name, described(table), std::move(how)};
}

std::string stand::url() const {
  auto text = other_url.value_or(url_);
  if (!is_postgres())
    return text;
  text += (text.find('?') == text.npos ? "?" : "&")
          + ("application_name=" + place_);
  if (!session_options.empty()) {
    text += "&options=";
    for (const auto& o : session_options)
      text += encoded("-c " + o + " ");
  }
  return text;
}

pool stand::make_pool() const {
  if (is_postgres())
    return postgres::pool(url(), {sessions, how_connected, listen_notify});
  sqlite::pool_settings s;
  s.size = sessions;
  s.sessions = how_connected;
  auto over = sqlite::pool(url(), std::move(s));
  over.listen_notify = listen_notify;
  return over;
}

service& stand::make_service() {
  return make_service(make_pool());
}

service& stand::make_service(pool over) {
  auto settings = how_served;
  settings.log = [this](const log_entry& e) {
    const std::lock_guard lock{log_mutex_};
    log_.push_back(e);
  };
  services_.push_back(
    std::make_unique<service>(std::move(over), std::move(settings)));
  return *services_.back();
}

service& stand::serve(subscription q, handler with) {
  auto& s = make_service();
  s.serve(std::move(q), std::move(with));
  unbox(s.start());
  return s;
}

service& stand::serve(subscription q, batch_handler with) {
  auto& s = make_service();
  s.serve(std::move(q), std::move(with));
  unbox(s.start());
  return s;
}

failure stand::refusal_of(subscription q) {
  auto& s = make_service();
  s.serve(std::move(q), [](const delivery&, context&) { return ack(); });
  return refusal(s.start());
}

void stand::stop(service& which) {
  std::erase_if(services_,
                [&](const auto& owned) { return owned.get() == &which; });
}

std::size_t stand::logged(std::string_view part, log_level least) const {
  const std::lock_guard lock{log_mutex_};
  return std::count_if(log_.begin(), log_.end(), [&](const log_entry& e) {
    auto line = e.text;
    for (const auto& [name, what] : e.fields)
      line += " " + name + "=" + what;
    return e.level >= least && line.find(part) != line.npos;
  });
}

std::string stand::whole_log() const {
  const std::lock_guard lock{log_mutex_};
  std::string text;
  for (const auto& e : log_) {
    text += std::string{to_string(e.level)} + ": " + e.text;
    for (const auto& [name, what] : e.fields)
      text += " " + name + "=" + what;
    text += "\n";
  }
  return text;
}

void stand::give_up_after(int round, const char* what) {
  if (round >= rounds)
    throw std::runtime_error{"this never held: " + std::string{what} + "\n"
                             + whole_log()};
  // Looks again a little later; nothing announces a change of the database.
  std::mutex mutex;
  std::unique_lock lock{mutex};
  std::condition_variable{}.wait_for(lock, step);
}

} // namespace inbox::test
