#include "program/spawn.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inboxctl {

using inbox::expected;

namespace {

/// Where a program finds its end of the answer pipe.
constexpr int answer_descriptor = 3;

auto refused(const program& what, const char* step, int why) {
  return inbox::refuse(inbox::errc::handler_failed, "cannot start " + what.file
                                                      + ": " + step + ": "
                                                      + std::strerror(why));
}

struct pipe_ends {
  descriptor ours;   ///< Read by us, never blocking.
  descriptor theirs; ///< Written by the program.
};

/// @returns closed ends when the system has no descriptors left.
pipe_ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return {};
  pipe_ends made{descriptor{ends[0]}, descriptor{ends[1]}};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return made;
}

/// What becomes of the program's descriptors: exactly four are open.
class file_actions {
public:
  file_actions() { posix_spawn_file_actions_init(&actions_); }
  ~file_actions() { posix_spawn_file_actions_destroy(&actions_); }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;

  void put(const descriptor& from, int at) {
    posix_spawn_file_actions_adddup2(&actions_, from.number(), at);
  }
  void close_from(int first) {
    posix_spawn_file_actions_addclosefrom_np(&actions_, first);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_;
};

/// A process group of its own, no signal blocked, none ignored.
class attributes {
public:
  attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP
                                             | POSIX_SPAWN_SETSIGDEF
                                             | POSIX_SPAWN_SETSIGMASK);
  }
  ~attributes() { posix_spawnattr_destroy(&attributes_); }
  attributes(const attributes&) = delete;
  attributes& operator=(const attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

private:
  posix_spawnattr_t attributes_;
};

/// The words as exec takes them; they point into `words`.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (auto& word : words)
    out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> command_line(const std::string& launcher,
                                      const program& what) {
  std::vector<std::string> words{launcher, std::to_string(getpid()), what.file};
  words.insert(words.end(), what.words.begin(), what.words.end());
  return words;
}

std::vector<std::string> environment(const program_input& input) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable)
    if (!is_ours(*variable))
      all.emplace_back(*variable);
  all.insert(all.end(), input.environment.begin(), input.environment.end());
  return all;
}

/// A program that cannot be waited for is ended at once.
expected<running_program> watch(const program& what, running_program started) {
  // By its number: the C library's header lacks what C++ needs to link to it.
  started.ended = descriptor{
    static_cast<int>(syscall(SYS_pidfd_open, started.process, 0))};
  if (started.ended.is_open())
    return started;
  const int why = errno;
  kill(-started.process, SIGKILL);
  waitpid(started.process, nullptr, 0);
  return refused(what, "pidfd_open", why);
}

} // namespace

expected<running_program> spawn(const std::string& launcher,
                                const program& what,
                                const program_input& input) {
  auto output = make_pipe();
  auto errors = make_pipe();
  auto answer = make_pipe();
  if (!answer.ours.is_open() || !errors.ours.is_open()
      || !output.ours.is_open())
    return refused(what, "pipe", errno);
  file_actions files;
  files.put(input.octets, STDIN_FILENO);
  files.put(output.theirs, STDOUT_FILENO);
  files.put(errors.theirs, STDERR_FILENO);
  files.put(answer.theirs, answer_descriptor);
  files.close_from(answer_descriptor + 1);
  auto words = command_line(launcher, what);
  auto variables = environment(input);
  running_program started{-1,
                          {},
                          std::move(output.ours),
                          std::move(errors.ours),
                          std::move(answer.ours)};
  const auto failed = posix_spawn(
    &started.process, launcher.c_str(), files.get(), attributes{}.get(),
    pointers(words).data(), pointers(variables).data());
  if (failed != 0)
    return refused(what, "posix_spawn", failed);
  return watch(what, std::move(started));
}

void reserve_low_descriptors() {
  int taken = 0;
  while ((taken = open("/dev/null", O_RDWR)) >= 0 && taken <= answer_descriptor)
    if (taken == answer_descriptor)
      fcntl(taken, F_SETFD, FD_CLOEXEC);
  if (taken > answer_descriptor)
    close(taken);
}

} // namespace inboxctl
