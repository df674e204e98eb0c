#include "inbox/actors/delivery_log.hpp"

namespace inbox::actors {

delivery_log::delivery_log(shared_statements of, log_sink to,
                           std::shared_ptr<queue_counters> counters)
  : of_{std::move(of)}, to_{std::move(to)}, counters_{std::move(counters)} {}

void delivery_log::cannot_settle(const failure& why) {
  tell({log_level::error,
        "a row cannot be settled, its id does not read",
        {{"queue", of_->of().name}}},
       why);
}

void delivery_log::concluded(const delivery& d, const conclusion& c) {
  if (c.fault) {
    const bool ran = c.fault->code() == errc::handler_failed;
    ++(ran ? counters_->failed : counters_->undecodable);
    tell_row(ran ? "the handler failed" : "the row does not decode", d,
             c.fault);
  }
  if (c.decision.note == settle_note::capped)
    tell_row("the row reached its last attempt and is dead-lettered", d);
  if (c.decision.note == settle_note::no_retry_after)
    tell_row("the table has no retry_after column; the delayed retry returns "
             "at once",
             d);
}

void delivery_log::lost_while_running(const delivery& d) {
  tell_row("the lease was lost while the handler ran; its outcome counts only "
           "if nobody took the row",
           d);
}

void delivery_log::abandoned(const delivery& d) {
  tell_row("the handler did not end in time; its row is given back while it "
           "still runs",
           d);
}

void delivery_log::settled(const settlement& end,
                           const inbox::settled& result) {
  switch (result.went) {
    case inbox::settled::how::done:
      count(end.what);
      session_losses_ = 0;
      break;
    case inbox::settled::how::lost:
      ++counters_->lost;
      tell_end(log_level::warning,
               "settled too late: another claim holds the row, or it is gone",
               end);
      break;
    default: failed(end, result.why);
  }
}

void delivery_log::failed(const settlement& end,
                          const std::optional<failure>& why) {
  // An outage ends the settlements of all workers at once.
  const bool told = why && why->is_session_lost() && session_losses_++ > 0;
  tell_end(told ? log_level::debug : log_level::error,
           "the settlement failed; the row comes back by itself", end, why);
}

void delivery_log::count(event what) {
  auto& c = *counters_;
  switch (what) {
    case event::ack: ++c.acked; break;
    case event::retry:
    case event::retry_after: ++c.retried; break;
    case event::discard: ++c.dropped; break;
    case event::dead_letter: ++c.dead_lettered; break;
    case event::unclaim: ++c.given_back; break;
    default: break;
  }
}

void delivery_log::tell_row(std::string text, const delivery& d,
                            const std::optional<failure>& why) {
  log_entry e{log_level::warning,
              std::move(text),
              {{"queue", of_->of().name}, {"id", d.id().to_display()}}};
  if (d.attempt())
    e.fields.emplace_back("attempt", std::to_string(*d.attempt()));
  tell(std::move(e), why);
}

void delivery_log::tell_end(log_level level, std::string text,
                            const settlement& end,
                            const std::optional<failure>& why) {
  tell({level,
        std::move(text),
        {{"queue", of_->of().name},
         {"id", end.id.view().to_display()},
         {"event", std::string{to_string(end.what)}}}},
       why);
}

void delivery_log::tell(log_entry e, const std::optional<failure>& why) {
  if (why)
    e.fields.emplace_back("error", why->to_string());
  if (to_)
    to_(e);
}

} // namespace inbox::actors
