#include "inbox/actors/actor_crew.hpp"

#include <map>
#include <utility>

#include "inbox/actors/caf.hpp"
#include "inbox/actors/message.hpp"

namespace inbox::actors {

namespace {

/// One delivery to ask the target about.
struct work {
  using local = void;
  shared_delivery row;
};

/// The worker's own timer.
struct silence {
  using local = void;
};

using worker = interface<caf::result<void>(work), caf::result<void>(silence)>;

/// A request's own time-out stays with CAF's clock until it passes, answered
/// or not; one timer of the worker's serves every call instead.
class worker_state {
public:
  using interface_type = worker;
  static inline const char* name = "inbox.actor_worker";

  explicit worker_state(worker::pointer self) : self_{self} {}

  worker::behavior_type start(caf::actor target, duration timeout,
                              std::shared_ptr<call_ends> out) {
    target_ = std::move(target);
    timeout_ = timeout;
    out_ = std::move(out);
    on_down(self_, target_, [this](const caf::error& why) { on_end(why); });
    return {
      [this](const work& w) { run(*w.row); },
      [this](silence) { on_silence(); },
    };
  }

private:
  void run(const delivery& row) {
    running_ = row.number();
    silent_until_ = steady_now(self_) + timeout_;
    arm();
    const auto d = running_;
    ask(self_, target_, caf::infinite, message::of(row))
      .then([this, d](outcome answer) { finish(d, answer); },
            [this, d](const caf::error& why) { fail(d, render(why)); });
  }

  void on_end(const caf::error& why) { fail(running_, render(why)); }

  void arm() {
    if (armed_ || timeout_ == duration::zero())
      return;
    armed_ = true;
    tell_after(self_, worker{self_}, silent_until_ - steady_now(self_),
               silence{});
  }

  void on_silence() {
    armed_ = false;
    if (running_ == 0)
      return;
    if (steady_now(self_) < silent_until_)
      arm();
    else
      fail(running_, "nothing within " + to_string(timeout_));
  }

  std::string render(const caf::error& why) const {
    return self_->system().render(why);
  }

  void fail(delivery_number d, const std::string& why) {
    finish(d, refuse(errc::handler_failed,
                     "the handler's actor answered no outcome: " + why));
  }

  /// The first end of a call counts.
  void finish(delivery_number d, handled answer) {
    if (d == 0 || d != running_)
      return;
    running_ = 0;
    out_->put({d, std::move(answer)});
  }

  worker::pointer self_;
  caf::actor target_;
  duration timeout_{};
  std::shared_ptr<call_ends> out_;
  delivery_number running_ = 0;
  instant silent_until_{}; ///< then the call has failed
  bool armed_ = false;
};

class actor_crew : public crew {
public:
  actor_crew(caf::actor_system& sys, const caf::actor& target,
             std::uint32_t workers, duration timeout,
             std::shared_ptr<call_ends> out)
    : out_{std::move(out)} {
    for (std::uint32_t n = 0; n < workers; ++n)
      idle_.push_back(spawn_state<worker_state>(sys, target, timeout, out_));
  }

  ~actor_crew() override {
    for (const auto& [d, w] : running_)
      caf::anon_send_exit(w, caf::exit_reason::user_shutdown);
    for (const auto& w : idle_)
      caf::anon_send_exit(w, caf::exit_reason::user_shutdown);
  }

  std::uint32_t room(std::uint32_t) const override {
    return static_cast<std::uint32_t>(idle_.size());
  }

  void run(std::vector<shared_delivery> rows) override {
    for (auto& d : rows) {
      const auto number = d->number();
      tell_anonymously(idle_.back(), work{std::move(d)});
      running_.emplace(number, std::move(idle_.back()));
      idle_.pop_back();
    }
  }

  void on_end(delivery_number d) override {
    if (auto ended = running_.extract(d); !ended.empty())
      idle_.push_back(std::move(ended.mapped()));
  }

  std::uint32_t running() const override {
    return static_cast<std::uint32_t>(running_.size());
  }

  std::vector<delivery_number> abandon() override {
    out_->close();
    std::vector<delivery_number> all;
    for (const auto& [d, w] : running_)
      all.push_back(d);
    return all;
  }

private:
  std::shared_ptr<call_ends> out_;
  std::vector<worker> idle_;
  std::map<delivery_number, worker> running_;
};

} // namespace

std::unique_ptr<crew> make_actor_crew(caf::actor_system& sys, caf::actor target,
                                      std::uint32_t workers, duration timeout,
                                      std::shared_ptr<call_ends> out) {
  return std::make_unique<actor_crew>(sys, target, workers, timeout,
                                      std::move(out));
}

} // namespace inbox::actors
