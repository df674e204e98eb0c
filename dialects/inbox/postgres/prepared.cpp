#include "inbox/postgres/prepared.hpp"

#include <algorithm>

#include "inbox/postgres/errors.hpp"
#include "inbox/postgres/wire.hpp"

namespace inbox::postgres {

namespace {

prepared described_by(const PGresult* description) {
  prepared p;
  for (int i = 0; i < PQnparams(description); ++i)
    p.parameters.push_back(PQparamtype(description, i));
  for (int i = 0; i < PQnfields(description); ++i) {
    p.results.push_back(PQftype(description, i));
    p.columns.emplace_back(PQfname(description, i));
  }
  p.is_binary = std::ranges::all_of(p.results, reads_binary);
  return p;
}

} // namespace

std::optional<prepared_statements::refusal>
prepared_statements::prepare(std::span<const std::string_view> texts,
                             deadline until) {
  std::vector<std::pair<std::size_t, std::string>> sent;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!find(texts[i]))
      sent.emplace_back(i, "inbox" + std::to_string(++names_));
  if (sent.empty())
    return std::nullopt;
  if (PQenterPipelineMode(link_.raw()) == 0)
    return refusal{0, link_.broken().value()};
  for (const auto& [which, name] : sent)
    if (auto ok = send(texts[which], name); !ok)
      return refusal{which, ok.error()};
  std::optional<refusal> first;
  for (auto& [which, name] : sent) {
    auto p = receive(until);
    if (!p && link_.is_lost())
      return refusal{which, p.error()};
    if (!p && !first)
      first = refusal{which, p.error()};
    if (!p)
      continue;
    p->name = std::move(name);
    by_text_.insert_or_assign(std::string{texts[which]}, std::move(*p));
  }
  if (PQexitPipelineMode(link_.raw()) == 0)
    return refusal{0, link_.broken().value()};
  return first;
}

expected<void> prepared_statements::send(std::string_view text,
                                         const std::string& name) {
  // A Sync each, so that one refused text does not hide what is wrong with
  // the others.
  auto* conn = link_.raw();
  if (PQsendPrepare(conn, name.c_str(), std::string{text}.c_str(), 0, nullptr)
        == 0
      || PQsendDescribePrepared(conn, name.c_str()) == 0
      || PQpipelineSync(conn) == 0)
    return link_.broken();
  return {};
}

expected<prepared> prepared_statements::receive(deadline until) {
  expected<prepared> description = prepared{};
  for (int commands = 0; commands < 2;) {
    auto result = link_.next(until);
    if (!result)
      return tl::make_unexpected(result.error());
    if (!*result)
      ++commands;
    else if (PQresultStatus(result->get()) == PGRES_FATAL_ERROR)
      description = tl::make_unexpected(link_.refused(result->get()));
    else if (description && commands == 1)
      description = described_by(result->get());
  }
  if (auto sync = link_.next(until); !sync)
    return tl::make_unexpected(sync.error());
  return description;
}

const prepared* prepared_statements::find(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? nullptr : &found->second;
}

void prepared_statements::forget(std::string_view text) {
  if (const auto found = by_text_.find(text); found != by_text_.end())
    by_text_.erase(found);
}

} // namespace inbox::postgres
