#include "stopwatch.hpp"

#include <sys/resource.h>

namespace bench {

namespace {

inbox::duration of(const timeval& t) {
  return std::chrono::seconds{t.tv_sec} + std::chrono::microseconds{t.tv_usec};
}

} // namespace

inbox::duration process_cpu() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return of(used.ru_utime) + of(used.ru_stime);
}

void stopwatch::start() {
  std::call_once(started_, [this] {
    before_.server = server_();
    before_.client = process_cpu();
    from_ = std::chrono::steady_clock::now();
  });
}

void stopwatch::stop() {
  std::call_once(stopped_, [this] {
    spent_.wall = std::chrono::duration_cast<inbox::duration>(
      std::chrono::steady_clock::now() - from_);
    spent_.client = process_cpu() - before_.client;
    const auto server = server_();
    if (server && before_.server)
      spent_.server = *server - *before_.server;
  });
}

} // namespace bench
