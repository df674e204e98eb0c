#include "program/input.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

#include "inbox/headers.hpp"
#include "inbox/utf8.hpp"

#include "json_text.hpp"
#include "octets.hpp"
#include "program/memory_file.hpp"

namespace inboxctl {

using inbox::expected;

namespace {

/// Above this the headers come in a file: one variable may hold 128 KiB.
constexpr std::size_t longest_headers = 96 * 1024;

constexpr std::array our_variables{
  std::string_view{"INBOX_QUEUE"},   std::string_view{"INBOX_ID"},
  std::string_view{"INBOX_ATTEMPT"}, std::string_view{"INBOX_HEADERS"},
  std::string_view{"INBOX_GROUP"},   std::string_view{"INBOX_HEADERS_FILE"},
  std::string_view{"INBOX_KEY"},     std::string_view{"INBOX_LOCK"},
};

expected<void> put(program_input& in, std::string name,
                   const std::string& text) {
  if (text.find('\0') != std::string::npos)
    return inbox::refuse(inbox::errc::undecodable,
                         "the value for " + name
                           + " holds a NUL, which no environment variable can");
  in.environment.push_back(std::move(name) + "=" + text);
  return {};
}

/// Nothing for NULL: then the variable stays unset.
expected<void> put_value(program_input& in, std::string name,
                         const inbox::value_view& v) {
  return v.is_null() ? expected<void>{} : put(in, std::move(name), id_text(v));
}

expected<void> put_headers_file(program_input& in, std::string_view text) {
  auto file = memory_file(text);
  if (!file)
    return tl::unexpected{std::move(file.error())};
  in.headers = std::move(*file);
  // Named through this process, so that a program's own children can open it
  // too, and nothing is left behind when both are killed.
  return put(in, "INBOX_HEADERS_FILE",
             "/proc/" + std::to_string(getpid()) + "/fd/"
               + std::to_string(in.headers.number()));
}

expected<void> put_headers(program_input& in, const inbox::context& ctx) {
  return ctx.headers()
    .and_then(inbox::to_json)
    .and_then([&in](const std::string& text) {
      return text.size() > longest_headers ? put_headers_file(in, text)
                                           : put(in, "INBOX_HEADERS", text);
    });
}

expected<void> put_octets(program_input& in, const inbox::delivery& d) {
  auto file = d.of().description.is_row_mode()
                ? memory_file(row_json(d.columns()))
                : memory_file(d.payload());
  if (!file)
    return tl::unexpected{std::move(file.error())};
  in.octets = std::move(*file);
  return {};
}

} // namespace

bool is_ours(std::string_view variable) {
  const auto name = variable.substr(0, variable.find('='));
  return std::find(our_variables.begin(), our_variables.end(), name)
         != our_variables.end();
}

expected<program_input> describe_delivery(const inbox::delivery& d,
                                          const inbox::context& ctx) {
  program_input in;
  auto told = put_octets(in, d)
                .and_then([&] { return put(in, "INBOX_QUEUE", d.of().name); })
                .and_then([&] { return put_value(in, "INBOX_ID", ctx.id()); })
                .and_then([&] {
                  return put(in, "INBOX_ATTEMPT",
                             std::to_string(ctx.attempt()));
                })
                .and_then(
                  [&] { return put_value(in, "INBOX_GROUP", ctx.group()); })
                .and_then([&] {
                  return put_value(in, "INBOX_KEY", ctx.partition_key());
                })
                .and_then([&] { return put_headers(in, ctx); });
  if (!told)
    return tl::unexpected{std::move(told.error())};
  return in;
}

namespace {

std::string payload_member(const inbox::delivery& d) {
  if (d.of().description.is_row_mode())
    return "\"payload\":" + row_json(d.columns());
  const auto octets = d.payload();
  return inbox::is_utf8(octets)
           ? "\"payload\":" + json_string(octets)
           : "\"payload_base64\":" + json_string(base64(octets));
}

} // namespace

expected<std::string> describe_item(const inbox::delivery& d) {
  const auto headers = d.headers().and_then(inbox::to_json);
  if (!headers)
    return tl::unexpected{headers.error()};
  return "{\"id\":" + id_json(d.id()).dump()
         + ",\"attempt\":" + std::to_string(d.attempt().value_or(1))
         + ",\"headers\":" + *headers + "," + payload_member(d) + "}";
}

expected<program_input> describe_batch(const std::string& queue,
                                       const std::vector<std::string>& items) {
  std::string array = "[";
  for (const auto& item : items)
    array += (array.size() > 1 ? "," : "") + item;
  auto file = memory_file(array + "]");
  if (!file)
    return tl::unexpected{std::move(file.error())};
  program_input in;
  in.octets = std::move(*file);
  if (auto told = put(in, "INBOX_QUEUE", queue); !told)
    return tl::unexpected{std::move(told.error())};
  return in;
}

} // namespace inboxctl
