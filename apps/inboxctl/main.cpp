// inboxctl: serves and operates any described table.
#include <csignal>
#include <exception>
#include <iostream>

#include "command_line.hpp"
#include "program/spawn.hpp"

int main(int argc, char** argv) {
  inboxctl::reserve_low_descriptors();
  // A reader of ours that goes away is an error of that write, no reason to
  // leave deliveries behind.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return inboxctl::run_command_line({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    // Nothing of ours throws; this is memory or threads that ran out.
    std::cerr << "inboxctl: " << e.what() << '\n';
    return 1;
  }
}
