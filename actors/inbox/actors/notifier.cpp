#include "inbox/actors/notifier.hpp"

#include <random>

#include "inbox/actors/caf.hpp"
#include "inbox/policy.hpp"

namespace inbox::actors {

namespace {

/// The wait before a lost connection is opened again.
constexpr backoff reopening{100ms, 2.0, 10s, 0.5};

/// Queues of one table that are woken together look in turn (B44).
constexpr duration stagger = 2ms;

/// How long the end of a notifier is waited for.
constexpr duration end_margin = 5s;

/// The notifier's own: opens or waits, then says it again.
struct listen_on {
  using local = void;
};

using notifier_actor = interface<caf::result<void>(listen_on)>;

class notifier_state {
public:
  using interface_type = notifier_actor;
  static inline const char* name = "inbox.notifier";

  explicit notifier_state(notifier_actor::pointer self) : self_{self} {}

  ~notifier_state() {
    on_ = nullptr;
    if (line_)
      line_->live.remove();
  }

  notifier_actor::behavior_type start(notifier_settings settings,
                                      std::shared_ptr<notifier::line> line) {
    settings_ = std::move(settings);
    line_ = std::move(line);
    again();
    return {[this](listen_on) { go_on(); }};
  }

private:
  void go_on() {
    auto went = on_ ? hear() : open();
    if (went)
      again();
    else
      lose(went.error());
  }

  void again() { tell(self_, notifier_actor{self_}, listen_on{}); }

  expected<void> open() {
    on_ = settings_.database->listen();
    if (!line_->use(on_)) {
      self_->quit();
      return {};
    }
    return on_->open(settings_.queues.channels()).map([this] {
      line_->connected = true;
      if (std::exchange(failures_, 0) > 0 && settings_.log)
        settings_.log({log_level::info, "listening for new rows again", {}});
      wake(settings_.queues.all());
    });
  }

  expected<void> hear() {
    const auto come = on_->wait(settings_.quiet);
    if (!come)
      return tl::make_unexpected(come.error());
    wake(settings_.queues.woken_by(*come));
    return {};
  }

  void wake(const std::vector<std::size_t>& queues) {
    duration after{};
    for (const auto i : queues) {
      settings_.wake[i](after);
      after += stagger;
    }
  }

  /// One line for each outage.
  void lose(const failure& why) {
    line_->connected = false;
    on_ = nullptr;
    if (!line_->use(nullptr)) {
      self_->quit();
      return;
    }
    if (failures_++ == 0 && settings_.log)
      settings_.log({log_level::warning,
                     "not listening for new rows; queues are polled until the "
                     "connection is back",
                     {{"error", why.to_string()}}});
    const auto random = std::uniform_real_distribution<>{}(random_);
    tell_after(self_, notifier_actor{self_}, reopening.delay(failures_, random),
               listen_on{});
  }

  notifier_actor::pointer self_;
  notifier_settings settings_;
  std::shared_ptr<notifier::line> line_;
  std::shared_ptr<listener> on_;
  std::uint64_t failures_ = 0; ///< since it was last connected
  std::mt19937_64 random_{std::random_device{}()};
};

} // namespace

bool notifier::line::use(std::shared_ptr<listener> on) {
  const std::lock_guard lock{mutex_};
  on_ = std::move(on);
  return !is_cut_;
}

void notifier::line::cut() {
  const std::lock_guard lock{mutex_};
  is_cut_ = true;
  if (on_)
    on_->interrupt();
}

notifier::notifier(caf::actor_system& sys, notifier_settings settings)
  : log_{settings.log} {
  line_->live.add();
  actor_ = caf::actor_cast<caf::actor>(
    spawn_state<notifier_state, caf::detached>(sys, std::move(settings),
                                               line_));
}

notifier::~notifier() {
  line_->cut();
  // It may be waiting to open a connection again.
  caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
  actor_ = nullptr;
  if (!line_->live.wait_for_none(end_margin) && log_)
    log_({log_level::warning,
          "the listening connection did not close in time; it is left behind",
          {}});
}

} // namespace inbox::actors
