#pragma once

#include <memory>
#include <thread>
#include <variant>

#include "inbox/actors/call_ends.hpp"
#include "inbox/actors/crew.hpp"
#include "inbox/actors/turns.hpp"

namespace inbox::actors {

/// Threads of the service's own that run a queue's handler, so that no user
/// code runs on a CAF thread. They share one line: whoever is free takes what
/// is at its front, so a slow call keeps nobody but itself. A thread whose
/// handler never returns is left to itself when this is closed; it keeps
/// what it needs.
class thread_crew : public crew {
public:
  using call = std::variant<handler, batch_handler>;

  struct settings {
    std::uint32_t threads = 1;
    std::uint32_t batch = 1;   ///< rows one call of a batch handler takes
    bool of_one_claim = false; ///< and only rows of the same claim
    /// Takes turns where rows come with a permit; nobody does without it.
    std::shared_ptr<const turns> by{};
  };

  thread_crew(call with, settings s, std::shared_ptr<call_ends> out);
  ~thread_crew() override;

  std::uint32_t room(std::uint32_t line) const override;
  void run(std::vector<shared_delivery> rows) override;
  void lend(delivery_number first, const permit& with) override;
  void revoke() override;
  std::uint32_t pace(duration within) const override;
  bool gathers() const override;
  void help() override;
  std::vector<delivery_number> take_back() override;
  std::uint32_t running() const override;
  void stop(delivery_number d, stop_reason why) override;
  void stop_all(stop_reason why) override;
  void stop_older(instant begun, stop_reason why) override;
  std::vector<delivery_number> abandon() override;
  void close() override;

private:
  struct shared;
  std::shared_ptr<shared> shared_;
  std::vector<std::thread> threads_;
};

} // namespace inbox::actors
