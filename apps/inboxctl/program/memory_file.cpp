#include "program/memory_file.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>

namespace inboxctl {

namespace {

auto refused(const char* step) {
  return inbox::refuse(inbox::errc::handler_failed,
                       std::string{"no memory file for a program's input: "}
                         + step + ": " + std::strerror(errno));
}

} // namespace

inbox::expected<descriptor> memory_file(std::string_view octets) {
  descriptor file{memfd_create("inbox", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (!file.is_open())
    return refused("memfd_create");
  while (!octets.empty()) {
    const auto written = write(file.number(), octets.data(), octets.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return refused("write");
    octets.remove_prefix(static_cast<std::size_t>(written));
  }
  if (lseek(file.number(), 0, SEEK_SET) < 0)
    return refused("lseek");
  if (fcntl(file.number(), F_ADD_SEALS,
            F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
      != 0)
    return refused("sealing");
  return file;
}

} // namespace inboxctl
