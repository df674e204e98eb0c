#include "program/handler.hpp"

#include "json_text.hpp"
#include "octets.hpp"
#include "program/answer.hpp"
#include "program/input.hpp"
#include "program/run.hpp"

namespace inboxctl {

using inbox::errc;
using inbox::handled;
using inbox::log_level;
using inbox::stop_reason;

namespace {

/// One delivery's way through a program.
class program_call {
public:
  program_call(const program& what, const inbox::log_sink& log,
               const inbox::delivery& d, inbox::context& ctx)
    : what_{what}, log_{log}, delivery_{d}, context_{ctx} {}

  handled run(spawner& spawns) {
    const auto input = describe_delivery(delivery_, context_);
    if (!input)
      return tl::unexpected{input.error()};
    auto started = spawns.start(what_, *input);
    if (!started)
      return tl::unexpected{std::move(started.error())};
    return judge(
      run_to_end(std::move(*started), watching(), context_.stopping()));
  }

private:
  run_settings watching() const {
    run_settings how;
    how.timeout = delivery_.of().settings.timeout;
    how.output_line = [this](auto line) { tell_line("stdout", line); };
    how.error_line = [this](auto line) { tell_line("stderr", line); };
    return how;
  }

  handled judge(const run_result& ran) const {
    if (ran.why == ending::timed_out)
      return timed_out(ran.end);
    if (ran.why == ending::stopped)
      return stopped(ran.end);
    auto answer = read_answer(ran.end);
    if (!answer.warning.empty())
      warn(answer.warning);
    return std::move(answer.means);
  }

  handled timed_out(const program_end& end) const {
    return inbox::refuse(errc::handler_failed,
                         "the program ran longer than the queue's timeout of "
                           + inbox::to_string(delivery_.of().settings.timeout)
                           + " and was ended with " + to_string(end));
  }

  handled stopped(const program_end& end) const {
    if (context_.why() == stop_reason::timed_out)
      return timed_out(end);
    // Whatever it answered: the service gives the row back where it is still
    // ours, and warns where it is not.
    if (context_.why() == stop_reason::lease_lost)
      tell(log_level::info,
           "the lease was lost; the program was ended with " + to_string(end),
           nullptr);
    else
      warn("the program had not finished when the service stopped; it was "
           "ended with "
           + to_string(end) + " and its row goes back");
    return inbox::refuse(errc::closed, "the program was told to end");
  }

  void warn(std::string text) const { tell(log_level::warning, text, {}); }

  void tell_line(const char* stream, std::string_view line) const {
    tell(log_level::info, printable(line), stream);
  }

  void tell(log_level level, std::string text, const char* stream) const {
    inbox::log_entry entry{level, std::move(text), {}};
    entry.fields.emplace_back("queue", delivery_.of().name);
    entry.fields.emplace_back("id", delivery_.id().to_display());
    if (stream)
      entry.fields.emplace_back("stream", stream);
    log_(entry);
  }

  const program& what_;
  const inbox::log_sink& log_;
  const inbox::delivery& delivery_;
  inbox::context& context_;
};

} // namespace

inbox::handler program_handler(program what, std::shared_ptr<spawner> spawns,
                               inbox::log_sink log) {
  return [what = std::move(what), spawns = std::move(spawns),
          log = std::move(log)](const inbox::delivery& d, inbox::context& ctx) {
    return program_call{what, log, d, ctx}.run(*spawns);
  };
}

} // namespace inboxctl
