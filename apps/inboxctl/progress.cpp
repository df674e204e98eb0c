#include "progress.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace inboxctl {

namespace {

using namespace std::chrono_literals;

constexpr int bar_width = 40;

std::string bar(std::uint64_t done, std::uint64_t total,
                const std::string& what) {
  const auto filled = static_cast<int>(
    bar_width * (total == 0 ? 1.0 : double(done) / total));
  return fmt::format("\r[{:#<{}}{:-<{}}] {}/{} {}", "", filled, "",
                     bar_width - filled, done, total, what);
}

} // namespace

progress::progress(const reporter& tell, std::string what, std::uint64_t total)
  : tell_{tell},
    what_{std::move(what)},
    total_{total},
    on_terminal_{isatty(STDERR_FILENO) == 1},
    next_{steady::now() + 1s} {}

progress::~progress() {
  if (drawn_ && on_terminal_)
    std::fputs("\r\x1b[K", stderr);
}

void progress::at(std::uint64_t done) {
  const auto now = steady::now();
  if (now < next_)
    return;
  next_ = now + (on_terminal_ ? 100ms : 3000ms);
  drawn_ = true;
  draw(done);
}

void progress::draw(std::uint64_t done) const {
  if (on_terminal_)
    std::fputs(bar(done, total_, what_).c_str(), stderr);
  else
    tell_.say(fmt::format("{} of {} {}", done, total_, what_));
}

} // namespace inboxctl
