#pragma once

// A Postgres server that one test starts, stops and starts again.

#include <initializer_list>
#include <string>

namespace inbox::test {

/// A server of a test's own. It goes with the test, however that ends. Throws
/// where a command fails.
class own_server {
public:
  /// How a server stops: `fast` rolls back and closes its sessions,
  /// `immediate` leaves all as a crash would.
  enum class ending { fast, immediate };

  /// @param settings beside the tests' usual ones, "name=value".
  explicit own_server(std::initializer_list<std::string> settings = {});
  ~own_server();
  own_server(const own_server&) = delete;
  own_server& operator=(const own_server&) = delete;

  const std::string& url() const { return url_; }

  // Each returns once that is done; a started server takes sessions.
  void restart(ending how);
  void stop(ending how);
  void start();

private:
  void control(const std::string& words) const;

  std::string directory_;
  std::string url_;
};

} // namespace inbox::test
