// inboxctl-launch PARENT FILE NAME [ARG...]: becomes FILE, called NAME, in a
// process that dies with the process PARENT.
//
// posix_spawn cannot ask for a parent-death signal, so inboxctl spawns this
// program, which asks for it and then executes the real one; the signal
// outlives the execution. It is a program of its own because it links to
// nothing but the C library: 0.6 ms for each delivery, where starting inboxctl
// itself a second time, with its drivers, takes ten times as long.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <sys/prctl.h>
#include <unistd.h>

namespace {

constexpr int cannot_execute = 126; // as shells say it
constexpr int not_found = 127;

void complain(const char* what, const char* why) {
  for (const char* part : {"inboxctl-launch: ", what, ": ", why, "\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0)
      return;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    complain("usage", "inboxctl-launch PARENT FILE NAME [ARG...]");
    return 2;
  }
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    complain("prctl", std::strerror(errno));
    return cannot_execute;
  }
  // The parent may have died before the line above; then nobody sends the
  // signal, and this process belongs to another one already.
  if (getppid() != static_cast<pid_t>(std::strtol(argv[1], nullptr, 10)))
    return cannot_execute;
  execv(argv[2], argv + 3);
  const int why = errno;
  complain(argv[2], std::strerror(why));
  return why == ENOENT ? not_found : cannot_execute;
}
