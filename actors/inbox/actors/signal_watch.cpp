#include "inbox/actors/signal_watch.hpp"

#include <array>
#include <cerrno>
#include <csignal>

#include <unistd.h>

namespace inbox::actors {

namespace {

constexpr std::array watched{SIGINT, SIGTERM};

// A signal handler can reach globals alone, and may only write to a pipe.
std::array<int, 2> pipe_ends{-1, -1};
std::array<struct sigaction, watched.size()> earlier;

void send(char what) {
  const int kept = errno;
  [[maybe_unused]] const auto written = ::write(pipe_ends[1], &what, 1);
  errno = kept;
}

void on_signal(int) {
  send('s');
}

void listen(const std::function<void(int)>& call) {
  int count = 0;
  char what = 0;
  while (true) {
    const auto got = ::read(pipe_ends[0], &what, 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got != 1 || what != 's')
      return;
    call(++count);
  }
}

} // namespace

signal_watch::signal_watch(std::function<void(int count)> call) {
  if (::pipe(pipe_ends.data()) != 0)
    return;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < watched.size(); ++i)
    ::sigaction(watched[i], &action, &earlier[i]);
  thread_ = std::thread{[call = std::move(call)] { listen(call); }};
}

signal_watch::~signal_watch() {
  if (!thread_.joinable())
    return;
  for (std::size_t i = 0; i < watched.size(); ++i)
    ::sigaction(watched[i], &earlier[i], nullptr);
  send('e');
  thread_.join();
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  pipe_ends = {-1, -1};
}

} // namespace inbox::actors
