#include "inbox/postgres/pipeline.hpp"

#include <algorithm>

#include "inbox/postgres/errors.hpp"

namespace inbox::postgres {

namespace {

/// One trip under way: what was sent and what came back.
class pipeline {
public:
  enum class commits : bool { each, once };

  pipeline(link& on, std::span<const segment> segments, deadline until,
           commits how)
    : link_{on},
      segments_{segments},
      until_{until},
      how_{how},
      results_(segments.size()) {}

  std::vector<segment_result> run() {
    if (auto ok = exchange(); !ok)
      for (auto& r : results_)
        if (!r.is_answered)
          r.why = ok.error();
    return std::move(results_);
  }

private:
  expected<void> exchange() {
    if (link_.is_lost())
      return tl::make_unexpected(
        link_.lose({errc::connection_lost, "the session was broken off"}));
    if (PQenterPipelineMode(link_.raw()) == 0)
      return link_.broken();
    for (std::size_t i = 0; i < segments_.size(); ++i)
      if (auto ok = send(i); !ok)
        return ok;
    for (std::size_t i = 0; i < segments_.size(); ++i)
      if (auto ok = receive(i); !ok)
        return ok;
    if (PQexitPipelineMode(link_.raw()) == 0)
      return link_.broken();
    return {};
  }

  /// The segments whose commit segment `i` ends.
  std::span<segment_result> ended_by(std::size_t i) {
    if (how_ == commits::each)
      return std::span{results_}.subspan(i, 1);
    return i + 1 == results_.size() ? std::span{results_}
                                    : std::span<segment_result>{};
  }

  expected<void> send(std::size_t i) {
    for (const auto& s : segments_[i])
      if (!send(s))
        return link_.broken();
    const auto ended = ended_by(i);
    for (auto& r : ended)
      r.is_sent = true; // from here on the server may have seen it
    if (!ended.empty() && PQpipelineSync(link_.raw()) == 0)
      return link_.broken();
    return {};
  }

  bool send(const step& s) {
    if (!s.how)
      return PQsendQueryParams(link_.raw(), std::string{s.text}.c_str(), 0,
                               nullptr, nullptr, nullptr, nullptr, 1)
             == 1;
    const auto with = s.with.seen();
    return PQsendQueryPrepared(link_.raw(), s.how->name.c_str(), s.with.size(),
                               with.values.data(), with.lengths.data(),
                               with.formats.data(), s.how->is_binary ? 1 : 0)
           == 1;
  }

  expected<void> receive(std::size_t i) {
    auto& result = results_[i];
    for (std::size_t at = 0; at < segments_[i].size(); ++at)
      for (;;) {
        auto one = link_.next(until_);
        if (!one)
          return tl::make_unexpected(one.error());
        if (!*one)
          break;
        keep(std::move(*one), at, result);
      }
    if (ended_by(i).empty())
      return {};
    return await_sync(i).map([&] { end(ended_by(i)); });
  }

  /// What a commit refuses (a deferred constraint) arrives after the steps.
  expected<void> await_sync(std::size_t i) {
    for (int ends = 0; ends < 3;) {
      auto one = link_.next(until_);
      if (!one)
        return tl::make_unexpected(one.error());
      if (*one && PQresultStatus(one->get()) == PGRES_PIPELINE_SYNC)
        return {};
      if (*one)
        keep(std::move(*one), segments_[i].size() - 1, results_[i]);
      else
        ++ends;
    }
    return tl::make_unexpected(link_.lose(
      {errc::connection_lost, "the server's answers came out of step"}));
  }

  static void end(std::span<segment_result> together) {
    const auto refused = std::ranges::find_if(
      together, [](const auto& r) { return r.why.has_value(); });
    for (auto& r : together) {
      r.is_answered = true;
      if (refused != together.end())
        r.why = refused->why;
    }
  }

  void keep(result_ptr one, std::size_t at, segment_result& result) {
    const auto status = PQresultStatus(one.get());
    if (status == PGRES_FATAL_ERROR) {
      if (result.why)
        return;
      result.why = link_.refused(one.get());
      result.refused = at;
      result.is_stale = is_stale(one.get());
    } else if (status != PGRES_PIPELINE_ABORTED) {
      result.results.push_back(std::move(one));
    }
  }

  link& link_;
  std::span<const segment> segments_;
  deadline until_;
  commits how_;
  std::vector<segment_result> results_;
};

} // namespace

std::vector<segment_result>
run_segments(link& on, std::span<const segment> segments, deadline until) {
  return pipeline{on, segments, until, pipeline::commits::each}.run();
}

std::vector<segment_result>
run_as_one(link& on, std::span<const segment> segments, deadline until) {
  return pipeline{on, segments, until, pipeline::commits::once}.run();
}

} // namespace inbox::postgres
