#include "inbox/conclusion.hpp"

namespace inbox {

namespace {

const failure_policy& policy_for(const delivery& d, errc fault) {
  const auto& s = d.of().settings;
  const bool decode = fault == errc::undecodable || fault == errc::wrong_type
                      || fault == errc::null_in_role;
  return decode ? s.on_decode_failure : s.on_failure;
}

conclusion by_policy(const delivery& d, const failure& fault, double random) {
  conclusion c;
  c.fault = fault;
  const auto answer
    = policy_for(d, fault.code()).decide(d.attempt().value_or(1), random);
  c.stops = !answer;
  if (answer)
    c.decision = settle(d, *answer);
  else
    c.decision.end = release(d);
  return c;
}

} // namespace

conclusion conclude(const delivery& d, const handled& answer, double random) {
  if (!answer)
    return by_policy(d, answer.error(), random);
  conclusion c;
  c.decision = settle(d, *answer);
  return c;
}

std::optional<conclusion> conclude_unrun(const delivery& d, double random) {
  if (auto capped = over_cap(d)) {
    conclusion c;
    c.decision = std::move(*capped);
    return c;
  }
  if (d.fault())
    return by_policy(d, *d.fault(), random);
  return std::nullopt;
}

settlement release(const delivery& d) {
  auto end = give_back(d);
  // The lease form counted at the claim, and the count stays. A row lock's
  // transaction ends without a statement, which counts nothing.
  if (d.held())
    end.what = event::retry;
  return end;
}

} // namespace inbox
