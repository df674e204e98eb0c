#include "inbox/postgres/pipeline.hpp"

#include "inbox/postgres/errors.hpp"

namespace inbox::postgres {

namespace {

/// One trip under way: what was sent and what came back.
class pipeline {
public:
  pipeline(link& on, std::span<const segment> segments, deadline until)
    : link_{on},
      segments_{segments},
      until_{until},
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
      if (auto ok = send(segments_[i], results_[i]); !ok)
        return ok;
    for (std::size_t i = 0; i < segments_.size(); ++i)
      if (auto ok = receive(segments_[i], results_[i]); !ok)
        return ok;
    if (PQexitPipelineMode(link_.raw()) == 0)
      return link_.broken();
    return {};
  }

  expected<void> send(const segment& steps, segment_result& result) {
    for (const auto& s : steps)
      if (!send(s))
        return link_.broken();
    result.is_sent = true; // from here on the server may have seen it
    if (PQpipelineSync(link_.raw()) == 0)
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

  expected<void> receive(const segment& steps, segment_result& result) {
    for (std::size_t at = 0; at < steps.size(); ++at)
      for (;;) {
        auto one = link_.next(until_);
        if (!one)
          return tl::make_unexpected(one.error());
        if (!*one)
          break;
        keep(std::move(*one), at, result);
      }
    return await_sync(steps.size() - 1, result);
  }

  /// What a commit refuses (a deferred constraint) arrives after the steps.
  expected<void> await_sync(std::size_t last, segment_result& result) {
    for (int ends = 0; ends < 3;) {
      auto one = link_.next(until_);
      if (!one)
        return tl::make_unexpected(one.error());
      if (*one && PQresultStatus(one->get()) == PGRES_PIPELINE_SYNC) {
        result.is_answered = true;
        return {};
      }
      if (*one)
        keep(std::move(*one), last, result);
      else
        ++ends;
    }
    return tl::make_unexpected(link_.lose(
      {errc::connection_lost, "the server's answers came out of step"}));
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
  std::vector<segment_result> results_;
};

} // namespace

std::vector<segment_result>
run_segments(link& on, std::span<const segment> segments, deadline until) {
  return pipeline{on, segments, until}.run();
}

} // namespace inbox::postgres
