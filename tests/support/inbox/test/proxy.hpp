#pragma once

// A TCP proxy in front of a server on 127.0.0.1, in a thread of its own, that
// goes wrong at a chosen moment.

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "inbox/test/unit.hpp"

namespace inbox::test {

/// What goes wrong, from the next request on that contains the word.
enum class fault {
  none,
  stall,      ///< The request goes through; no reply comes back.
  cut_before, ///< The connection ends before the server sees the request.
  cut_after,  ///< It ends when the server has answered; the reply is lost.
};

/// Forwards connections. `arm`, `heal` and the questions: any thread.
class proxy {
public:
  explicit proxy(std::uint16_t server_port)
    : server_port_{server_port}, wake_{::eventfd(0, EFD_CLOEXEC)} {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto at = local(0);
    socklen_t size = sizeof at;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&at), size) != 0
        || ::listen(listener_, 16) != 0
        || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size)
             != 0)
      CAF_FAIL("the proxy gets no port");
    port_ = ntohs(at.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }

  ~proxy() {
    is_over_ = true;
    wake();
    thread_.join();
    for (const auto& p : pairs_)
      close(p);
    ::close(listener_);
    ::close(wake_);
  }

  std::uint16_t port() const { return port_; }

  void arm(fault what, std::string word = {}) {
    const std::lock_guard lock{guard_};
    fault_ = what;
    word_ = std::move(word);
    is_struck_ = false;
  }

  /// Forwards again, what was held back first.
  void heal() {
    arm(fault::none);
    wake();
  }

  /// New connections are accepted and then hear nothing.
  void stall_connections(bool on) { stalls_connections_ = on; }

  /// Whether a reply is being held back.
  bool holds_reply() const { return holds_reply_; }

private:
  struct pair {
    int client;
    int server;
    std::string held; ///< the server's octets held back
    bool is_over = false;
  };

  static sockaddr_in local(std::uint16_t port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
  }

  static void close(const pair& p) {
    ::close(p.client);
    if (p.server >= 0)
      ::close(p.server);
  }

  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  }

  void serve() {
    while (!is_over_) {
      std::vector<pollfd> watched{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto& p : pairs_) {
        watched.push_back({p.client, POLLIN, 0});
        watched.push_back({p.server, POLLIN, 0});
      }
      ::poll(watched.data(), watched.size(), -1);
      std::uint64_t ignored;
      if (watched[0].revents != 0
          && ::read(wake_, &ignored, sizeof ignored) < 0)
        return;
      std::size_t at = 2;
      for (auto& p : pairs_) {
        if (watched[at++].revents != 0 && !p.is_over)
          from_client(p);
        if (watched[at++].revents != 0 && !p.is_over)
          from_server(p);
        release(p);
      }
      if (watched[1].revents != 0)
        accept();
      pairs_.remove_if([](const pair& p) {
        if (p.is_over)
          close(p);
        return p.is_over;
      });
    }
  }

  void accept() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (stalls_connections_)
      return pairs_.push_back({client, -1, {}});
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto to = local(server_port_);
    const bool reached = ::connect(server,
                                   reinterpret_cast<const sockaddr*>(&to),
                                   sizeof to)
                         == 0;
    pairs_.push_back({client, server, {}, !reached});
  }

  void from_client(pair& p) {
    const auto octets = receive(p.client, p);
    if (p.is_over || p.server < 0)
      return;
    if (strikes(octets) && fault_now() == fault::cut_before)
      p.is_over = true;
    else
      send_all(p.server, octets);
  }

  void from_server(pair& p) {
    const auto octets = receive(p.server, p);
    const std::lock_guard lock{guard_};
    if (is_struck_ && fault_ == fault::cut_after)
      p.is_over = true;
    else if (is_struck_ && fault_ == fault::stall)
      p.held += octets;
    else
      send_all(p.client, octets);
    holds_reply_ = !p.held.empty();
  }

  void release(pair& p) {
    const std::lock_guard lock{guard_};
    if (fault_ == fault::stall || p.held.empty())
      return;
    send_all(p.client, p.held);
    p.held.clear();
    holds_reply_ = false;
  }

  bool strikes(std::string_view octets) {
    const std::lock_guard lock{guard_};
    if (fault_ == fault::none || octets.find(word_) == std::string_view::npos)
      return false;
    is_struck_ = true;
    return true;
  }

  fault fault_now() {
    const std::lock_guard lock{guard_};
    return fault_;
  }

  static std::string receive(int fd, pair& p) {
    std::string octets(1 << 16, '\0');
    const auto size = ::recv(fd, octets.data(), octets.size(), 0);
    p.is_over = size <= 0;
    octets.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return octets;
  }

  static void send_all(int fd, std::string_view octets) {
    while (!octets.empty()) {
      const auto size = ::send(fd, octets.data(), octets.size(), MSG_NOSIGNAL);
      if (size <= 0)
        return; // the other side will be seen to have gone
      octets.remove_prefix(static_cast<std::size_t>(size));
    }
  }

  std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_;
  std::list<pair> pairs_; ///< the thread's own
  std::atomic<bool> is_over_{false};
  std::atomic<bool> stalls_connections_{false};
  std::atomic<bool> holds_reply_{false};
  std::mutex guard_;
  fault fault_ = fault::none;
  std::string word_;
  bool is_struck_ = false;
  std::thread thread_;
};

} // namespace inbox::test
