#include "inbox/handler_adapt.hpp"

#include "inbox/utf8.hpp"

namespace inbox {

namespace {

/// Octets kept of an exception's text: it goes into logs (B31).
constexpr std::size_t text_limit = 1000;

} // namespace

void stop_signal::request(stop_reason why) noexcept {
  // The first reason stays: it is the one the handler acts on.
  auto none = stop_reason::none;
  why_.compare_exchange_strong(none, why);
  source_.request_stop();
}

namespace detail {

failure exception_failure(errc code, std::string_view before) {
  const auto told = [code, before](std::string_view text) {
    return failure{code, std::string{before} + to_printable(text, text_limit)};
  };
  try {
    throw;
  } catch (const std::exception& e) {
    return told(e.what());
  } catch (...) {
    return told("an exception that is no std::exception");
  }
}

expected<nlohmann::json> parse_payload(const delivery& d) {
  try {
    return nlohmann::json::parse(d.payload());
  } catch (...) {
    return tl::make_unexpected(
      exception_failure(errc::undecodable, "the payload is no JSON: "));
  }
}

std::span<const std::byte> payload_bytes(const delivery& d) noexcept {
  const auto octets = d.payload();
  return {reinterpret_cast<const std::byte*>(octets.data()), octets.size()};
}

} // namespace detail

} // namespace inbox
