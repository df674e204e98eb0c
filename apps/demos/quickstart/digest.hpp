#pragma once

#include <cstdint>
#include <string>

namespace quickstart {

struct digest {
  std::int64_t bytes = 0;
  std::string sha256; ///< hex
  std::int64_t gzip_bytes = 0;
};

/// Reads a file once and takes its digest and its compressed size.
/// @throws std::system_error when it cannot be read to its end.
digest digest_file(const std::string& path);

} // namespace quickstart
