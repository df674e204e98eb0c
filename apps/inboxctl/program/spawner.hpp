#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include <sys/types.h>

#include "inbox/error.hpp"

#include "program/descriptor.hpp"
#include "program/find.hpp"
#include "program/input.hpp"

namespace inboxctl {

/// A program under way: its process, which leads a process group of its own,
/// and our ends of its pipes, which never block.
struct running_program {
  pid_t process = -1;
  descriptor ended;  ///< A pidfd: readable when the process has ended.
  descriptor output; ///< Its standard output.
  descriptor errors; ///< Its standard error.
  descriptor answer; ///< Its file descriptor 3.
};

/// Starts programs through `inboxctl-launch`, all on one thread of its own: a
/// parent-death signal is sent when the *thread* that spawned the program ends,
/// and handlers run on threads that may end before their programs would.
class spawner {
public:
  /// @param launcher the path of `inboxctl-launch`.
  explicit spawner(std::string launcher);
  spawner(const spawner&) = delete;
  spawner& operator=(const spawner&) = delete;

  /// Starts one program and returns while it runs. Any thread.
  /// @returns `errc::handler_failed` when the system cannot start it.
  inbox::expected<running_program> start(const program& what,
                                         const program_input& input);

private:
  using job = std::packaged_task<inbox::expected<running_program>()>;
  void work(std::stop_token stop);

  std::string launcher_;
  std::mutex guard_;
  std::condition_variable_any arrived_;
  std::deque<job> jobs_;
  std::jthread thread_; ///< Last, so that it ends before what it uses.
};

} // namespace inboxctl
