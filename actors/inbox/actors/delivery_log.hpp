#pragma once

#include "inbox/actors/counters.hpp"
#include "inbox/conclusion.hpp"
#include "inbox/log.hpp"

namespace inbox::actors {

/// Counts what becomes of a queue's deliveries and tells what is worth telling.
/// Kept by the supervisor alone.
class delivery_log {
public:
  delivery_log(shared_statements of, log_sink to,
               std::shared_ptr<queue_counters> counters);

  void cannot_settle(const failure& why);
  void concluded(const delivery& d, const conclusion& c);
  void lost_while_running(const delivery& d);
  void abandoned(const delivery& d);

  /// Of settlements that fail one after another because their sessions were
  /// lost, the first is an error and the others are told at `debug`.
  void settled(const settlement& end, const inbox::settled& result);

private:
  void failed(const settlement& end, const std::optional<failure>& why);
  void count(event what);
  void tell_row(std::string text, const delivery& d,
                const std::optional<failure>& why = {});
  void tell_end(log_level level, std::string text, const settlement& end,
                const std::optional<failure>& why = {});
  void tell(log_entry e, const std::optional<failure>& why);

  shared_statements of_;
  log_sink to_;
  std::shared_ptr<queue_counters> counters_;
  std::uint64_t session_losses_ = 0; ///< since the last settlement written
};

} // namespace inbox::actors
