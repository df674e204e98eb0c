#include "program/batch_answer.hpp"

#include <nlohmann/json.hpp>

namespace inboxctl {

using inbox::errc;
using inbox::expected;
using inbox::handled;
using inbox::outcome;

namespace {

expected<outcome> refuse_outcome(const nlohmann::json& seen) {
  return inbox::refuse(
    errc::handler_failed,
    seen.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
      + " is none of \"ack\", \"retry\", \"drop\" and "
        "{\"retry_after\":\"30s\"}");
}

expected<outcome> read_outcome(const nlohmann::json& seen) {
  if (seen == "ack")
    return inbox::ack();
  if (seen == "retry")
    return inbox::retry();
  if (seen == "drop")
    return inbox::drop();
  if (!seen.is_object() || seen.size() != 1 || !seen.contains("retry_after")
      || !seen["retry_after"].is_string())
    return refuse_outcome(seen);
  const auto delay = inbox::parse_duration(
    seen["retry_after"].get<std::string>());
  return delay ? inbox::retry_after(*delay) : refuse_outcome(seen);
}

expected<std::vector<handled>> read_outcomes(const std::string& output,
                                             std::size_t rows) {
  const auto array = nlohmann::json::parse(output, nullptr, false);
  if (!array.is_array())
    return inbox::refuse(errc::handler_failed, "it is no JSON array");
  if (array.size() != rows)
    return inbox::refuse(errc::handler_failed,
                         "it holds " + std::to_string(array.size())
                           + " outcomes for " + std::to_string(rows) + " rows");
  std::vector<handled> all;
  for (const auto& seen : array) {
    auto one = read_outcome(seen);
    if (!one)
      return tl::unexpected{std::move(one.error())};
    all.emplace_back(*one);
  }
  return all;
}

} // namespace

batch_answer read_batch_answer(const run_result& ran, std::size_t rows) {
  const auto all = [rows](const handled& one) {
    return std::vector<handled>(rows, one);
  };
  if (ran.end.exit_code != 0) {
    auto one = read_answer(ran.end);
    return {all(one.means), std::move(one.warning)};
  }
  if (ran.output.find_first_not_of(" \t\r\n") == std::string::npos)
    return {all(inbox::ack()), {}};
  auto each = read_outcomes(ran.output, rows);
  if (each)
    return {std::move(*each), {}};
  return {all(inbox::refuse(errc::handler_failed,
                            "the program's answer to its batch cannot be "
                            "read: "
                              + each.error().message())),
          {}};
}

} // namespace inboxctl
