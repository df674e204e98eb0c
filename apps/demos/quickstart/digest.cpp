#include "digest.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <span>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>
#include <zlib.h>

namespace quickstart {

namespace {

[[noreturn]] void fail() {
  throw std::system_error{errno, std::generic_category()};
}

class input_file {
public:
  explicit input_file(const std::string& path)
    : descriptor_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)} {
    if (descriptor_ < 0)
      fail();
  }
  input_file(const input_file&) = delete;
  ~input_file() { ::close(descriptor_); }

  /// Empty at the end.
  std::span<unsigned char> read(std::span<unsigned char> into) {
    const auto got = ::read(descriptor_, into.data(), into.size());
    if (got < 0)
      fail();
    return into.first(static_cast<std::size_t>(got));
  }

private:
  int descriptor_;
};

class sha256 {
public:
  sha256() { check(EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr)); }

  void add(std::span<const unsigned char> octets) {
    check(EVP_DigestUpdate(state_.get(), octets.data(), octets.size()));
  }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> octets{};
    unsigned size = 0;
    check(EVP_DigestFinal_ex(state_.get(), octets.data(), &size));
    constexpr auto digits = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += digits[octets[i] >> 4];
      text += digits[octets[i] & 15];
    }
    return text;
  }

private:
  static void check(int done) {
    if (done != 1)
      throw std::runtime_error{"SHA-256 is not available"};
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state_{
    EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

/// Compresses without keeping what comes out.
class gzip_size {
public:
  gzip_size() {
    constexpr int with_gzip_header = 15 + 16;
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                     with_gzip_header, 8, Z_DEFAULT_STRATEGY)
        != Z_OK)
      throw std::runtime_error{"gzip is not available"};
  }
  gzip_size(const gzip_size&) = delete;
  ~gzip_size() { deflateEnd(&state_); }

  void add(std::span<unsigned char> octets) { run(octets, Z_NO_FLUSH); }

  std::int64_t finish() {
    run({}, Z_FINISH);
    return static_cast<std::int64_t>(state_.total_out);
  }

private:
  void run(std::span<unsigned char> octets, int flush) {
    std::array<unsigned char, 16384> unused;
    state_.next_in = octets.data();
    state_.avail_in = static_cast<uInt>(octets.size());
    do {
      state_.next_out = unused.data();
      state_.avail_out = static_cast<uInt>(unused.size());
      deflate(&state_, flush);
    } while (state_.avail_out == 0);
  }
  z_stream state_{};
};

} // namespace

digest digest_file(const std::string& path) {
  input_file file{path};
  sha256 hash;
  gzip_size compressed;
  digest result;
  std::array<unsigned char, 65536> buffer;
  for (auto part = file.read(buffer); !part.empty();
       part = file.read(buffer)) {
    hash.add(part);
    compressed.add(part);
    result.bytes += static_cast<std::int64_t>(part.size());
  }
  result.sha256 = hash.hex();
  result.gzip_bytes = compressed.finish();
  return result;
}

} // namespace quickstart
