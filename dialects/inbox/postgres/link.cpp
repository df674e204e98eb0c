#include "inbox/postgres/link.hpp"

#include <cerrno>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "inbox/postgres/errors.hpp"

namespace inbox::postgres {

namespace {

/// Notices are for people at a console.
void drop_notice(void*, const PGresult*) {}

/// Milliseconds for poll(), rounded up so that no wait ends early.
int milliseconds_until(deadline until) noexcept {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
    until - std::chrono::steady_clock::now());
  if (left.count() <= 0)
    return 0;
  return static_cast<int>(std::min<std::int64_t>(left.count(), 3'600'000));
}

} // namespace

deadline within(duration span) noexcept {
  return std::chrono::steady_clock::now() + span;
}

link::link() : wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}

link::~link() {
  publish_socket(-1);
  conn_.reset();
  if (wake_ >= 0)
    ::close(wake_);
}

expected<void>
link::open(const std::vector<std::pair<std::string, std::string>>& parameters,
           deadline until) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : parameters) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  conn_.reset(PQconnectStartParams(names.data(), values.data(), 1));
  if (!conn_ || wake_ < 0)
    return tl::make_unexpected(
      lose({errc::connect, "out of memory or file descriptors"}));
  if (const char* password = PQpass(raw()))
    hide(password);
  PQsetNoticeReceiver(raw(), drop_notice, nullptr);
  // Only the verbose text of a refused login holds its SQLSTATE.
  PQsetErrorVerbosity(raw(), PQERRORS_VERBOSE);
  if (auto in = log_in(until); !in)
    return in;
  PQsetErrorVerbosity(raw(), PQERRORS_DEFAULT);
  PQsetnonblocking(raw(), 1);
  publish_socket(PQsocket(raw()));
  return {};
}

expected<void> link::log_in(deadline until) {
  for (auto next = PGRES_POLLING_WRITING;;) {
    if (PQstatus(raw()) == CONNECTION_BAD || next == PGRES_POLLING_FAILED)
      return tl::make_unexpected(
        lose(login_failure(PQerrorMessage(raw()),
                           PQconnectionNeedsPassword(raw()) != 0, secrets_)));
    if (next == PGRES_POLLING_OK)
      return {};
    // The socket changes while libpq goes through the host's addresses.
    const auto how = wait(
      PQsocket(raw()), next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until);
    if (how == woken::late)
      return tl::make_unexpected(
        lose({errc::connect, "the server did not answer in time; check host "
                             "and port in the URL and that the server runs"}));
    if (how == woken::interrupted)
      return stopped(how);
    next = PQconnectPoll(raw());
  }
}

expected<result_ptr> link::run(const char* text, deadline until) {
  if (PQsendQuery(raw(), text) == 0)
    return broken();
  return last(until);
}

expected<result_ptr> link::last(deadline until) {
  result_ptr kept;
  for (;;) {
    auto one = next(until);
    if (!one)
      return one;
    if (!*one)
      return kept;
    // The first refusal ends the text; nothing after it may hide it.
    if (!kept || PQresultStatus(kept.get()) != PGRES_FATAL_ERROR)
      kept = std::move(*one);
  }
}

expected<result_ptr> link::next(deadline until) {
  for (;;) {
    const int sent = PQflush(raw());
    if (sent < 0)
      return broken();
    if (PQisBusy(raw()) == 0)
      break;
    if (auto got = receive(sent == 1, until); !got)
      return tl::make_unexpected(got.error());
  }
  result_ptr result{PQgetResult(raw())};
  if (result && PQresultStatus(result.get()) == PGRES_FATAL_ERROR
      && (PQstatus(raw()) == CONNECTION_BAD || is_fatal(result.get())))
    return tl::make_unexpected(lose(failure_of(result.get(), secrets_)));
  return result;
}

expected<void> link::flush(deadline until) {
  for (;;) {
    const int sent = PQflush(raw());
    if (sent < 0)
      return broken();
    if (sent == 0)
      return {};
    // Reading meanwhile: a server that cannot send would never read on.
    if (auto got = receive(true, until); !got)
      return got;
  }
}

expected<void> link::receive(bool has_more_to_send, deadline until) {
  const short events = static_cast<short>(POLLIN
                                          | (has_more_to_send ? POLLOUT : 0));
  const auto how = wait(PQsocket(raw()), events, until);
  if (how != woken::ready)
    return stopped(how);
  if (PQconsumeInput(raw()) == 0 && PQisBusy(raw()) != 0)
    return broken();
  return {};
}

expected<bool> link::await_input(deadline until) {
  switch (wait(PQsocket(raw()), POLLIN, until)) {
    case woken::late: return false;
    case woken::interrupted: return stopped(woken::interrupted);
    case woken::ready: break;
  }
  if (PQconsumeInput(raw()) == 0)
    return broken();
  return true;
}

expected<void> link::pause(duration span) {
  if (wait(-1, 0, within(span)) == woken::interrupted)
    return stopped(woken::interrupted);
  return {};
}

link::woken link::wait(int fd, short events, deadline until) noexcept {
  for (;;) {
    pollfd watched[] = {{wake_, POLLIN, 0}, {fd, events, 0}};
    const int ready = ::poll(watched, 2, milliseconds_until(until));
    if (interrupted_.load())
      return woken::interrupted;
    if (ready > 0)
      return woken::ready;
    if (ready == 0 && std::chrono::steady_clock::now() >= until)
      return woken::late;
    if (ready < 0 && errno != EINTR)
      return woken::ready; // libpq will find out and say why
  }
}

tl::unexpected<failure> link::stopped(woken how) {
  if (how == woken::interrupted)
    return tl::make_unexpected(
      lose({errc::connection_lost, "the session was broken off"}));
  cancel();
  return tl::make_unexpected(
    lose({errc::timed_out, "no answer within the statement time-out; the "
                           "session was broken off"}));
}

tl::unexpected<failure> link::broken() {
  auto message = scrub(PQerrorMessage(raw()), secrets_);
  if (message.empty())
    message = "the session ended";
  return tl::make_unexpected(lose({errc::connection_lost, std::move(message)}));
}

failure link::refused(const PGresult* result) {
  auto why = failure_of(result, secrets_);
  return why.is_session_lost() ? lose(std::move(why)) : why;
}

failure link::lose(failure why) {
  if (!lost_)
    lost_ = std::move(why);
  is_lost_.store(true);
  return *lost_;
}

void link::publish_socket(int fd) noexcept {
  const std::lock_guard lock{guard_};
  socket_ = fd;
  cancel_ = fd < 0
              ? nullptr
              : std::shared_ptr<PGcancel>{PQgetCancel(raw()), PQfreeCancel};
}

void link::cancel() noexcept {
  const std::lock_guard lock{guard_};
  if (!cancel_)
    return;
  // PQcancel blocks until the server has taken note, and so may never return
  // when the network is what is wrong: nobody waits for it. The server's own
  // look at the closed socket ends the statement too, a second later.
  try {
    std::thread{[cancel = cancel_] {
      char ignored[256];
      PQcancel(cancel.get(), ignored, sizeof ignored);
    }}.detach();
  } catch (...) { // no thread to be had: closing the socket has to do
  }
  cancel_.reset();
}

bool link::has_ended() const noexcept {
  const std::lock_guard lock{guard_};
  if (is_lost() || socket_ < 0)
    return true;
  // Whatever lies unread before it, and also below TLS.
  pollfd asked{socket_, POLLRDHUP, 0};
  return ::poll(&asked, 1, 0) > 0;
}

void link::interrupt() noexcept {
  interrupted_.store(true);
  is_lost_.store(true);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  cancel();
  const std::lock_guard lock{guard_};
  if (socket_ >= 0)
    ::shutdown(socket_, SHUT_RDWR); // also ends a wait inside a lent libpqxx
}

} // namespace inbox::postgres
