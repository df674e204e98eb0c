#include "program/run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inboxctl {

namespace {

using steady = std::chrono::steady_clock;

/// What is kept of a program's file descriptor 3.
constexpr std::size_t longest_answer = 4 * 1024;

/// What is kept of its standard output, where that is its answer.
constexpr std::size_t longest_output = 16 * 1024 * 1024;

/// Wakes a poll when a stop is requested.
class stop_bell {
public:
  explicit stop_bell(std::stop_token stop)
    : ring_{std::move(stop), [this] { eventfd_write(fd(), 1); }} {}
  int fd() const noexcept { return event_.number(); }

private:
  descriptor event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::stop_callback<std::function<void()>> ring_;
};

/// One program under watch.
class watch {
public:
  watch(running_program started, const run_settings& how, std::stop_token stop)
    : program_{std::move(started)},
      how_{how},
      bell_{std::move(stop)},
      output_{how.output_line},
      errors_{how.error_line} {
    if (how.timeout > inbox::duration::zero())
      next_ = steady::now() + how.timeout;
  }

  run_result to_end() {
    while (!step()) {
    }
    read_all();
    output_.finish();
    errors_.finish();
    return {reap(), why_, std::move(kept_)};
  }

private:
  /// Waits for the next thing to happen. @returns true when it has ended.
  bool step() {
    std::array<pollfd, 5> watched{{
      {program_.ended.number(), POLLIN, 0},
      {program_.output.number(), POLLIN, 0},
      {program_.errors.number(), POLLIN, 0},
      {program_.answer.number(), POLLIN, 0},
      {why_ == ending::by_itself ? bell_.fd() : -1, POLLIN, 0},
    }};
    if (poll(watched.data(), watched.size(), patience()) < 0)
      return false; // EINTR: look again
    read_all();
    if (watched[0].revents != 0)
      return true;
    if (watched[4].revents != 0)
      end_it(ending::stopped);
    else if (next_ && steady::now() >= *next_)
      time_is_up();
    return false;
  }

  /// Milliseconds until the next deadline, rounded up; -1 for none.
  int patience() const {
    if (!next_)
      return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      *next_ - steady::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }

  void time_is_up() {
    if (why_ == ending::by_itself)
      return end_it(ending::timed_out);
    kill(-program_.process, SIGKILL);
    next_.reset();
  }

  void end_it(ending why) {
    why_ = why;
    kill(-program_.process, SIGTERM);
    next_ = steady::now() + how_.grace;
  }

  void read_all() {
    read(program_.output, [this](std::string_view octets) {
      if (how_.keep_output)
        kept_.append(octets.substr(0, longest_output - kept_.size()));
      else
        output_.add(octets);
    });
    read(program_.errors, [this](auto octets) { errors_.add(octets); });
    read(program_.answer, [this](std::string_view octets) {
      said_.append(octets.substr(0, longest_answer - said_.size()));
    });
  }

  /// Reads what is there; closes the pipe at its end, so that poll passes
  /// over it.
  template <class F>
  void read(descriptor& from, F with) {
    std::array<char, 16 * 1024> buffer;
    ssize_t got = 0;
    // A bounded number of rounds, so that a flood on one pipe does not keep
    // the deadline from being looked at.
    for (int round = 0; round < 16 && from.is_open(); ++round) {
      got = ::read(from.number(), buffer.data(), buffer.size());
      if (got == 0)
        from.close();
      if (got <= 0)
        return;
      with(std::string_view{buffer.data(), static_cast<std::size_t>(got)});
    }
  }

  /// Collects the exit status. What is left of a group we ended goes first,
  /// while its leader's number cannot belong to anybody else.
  program_end reap() {
    if (why_ != ending::by_itself)
      kill(-program_.process, SIGKILL);
    int status = 0;
    while (waitpid(program_.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status))
      return {WEXITSTATUS(status), 0, std::move(said_)};
    return {std::nullopt, WTERMSIG(status), std::move(said_)};
  }

  running_program program_;
  const run_settings& how_;
  stop_bell bell_;
  line_cutter output_;
  line_cutter errors_;
  std::string said_;
  std::string kept_;
  ending why_ = ending::by_itself;
  /// When the program, or what is left of its grace, ends.
  std::optional<steady::time_point> next_;
};

} // namespace

run_result run_to_end(running_program started, const run_settings& how,
                      std::stop_token stop) {
  return watch{std::move(started), how, std::move(stop)}.to_end();
}

} // namespace inboxctl
