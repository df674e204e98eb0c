#include "program/handler.hpp"

#include "json_text.hpp"
#include "program/answer.hpp"
#include "program/batch_answer.hpp"
#include "program/call.hpp"

namespace inboxctl {

using inbox::handled;
using inbox::shared_delivery;

namespace {

using shared_signal = std::shared_ptr<const inbox::stop_signal>;

/// What both kinds of handlers need.
struct runner {
  program what;
  std::shared_ptr<spawner> spawns;
  inbox::log_sink log;

  handled run(const inbox::delivery& d, inbox::context& ctx) const {
    const auto input = describe_delivery(d, ctx);
    if (!input)
      return tl::unexpected{input.error()};
    const program_call call{d.of(), d.id().to_display(), log, ctx.signal()};
    auto ran = call.run(what, *input, *spawns);
    if (!ran)
      return tl::unexpected{std::move(ran.error())};
    auto answer = read_answer(ran->end);
    if (!answer.warning.empty())
      call.warn(answer.warning);
    return std::move(answer.means);
  }

  /// Rows that do not read are answered here and left out.
  std::vector<handled> run(std::span<const shared_delivery> rows,
                           const shared_signal& signal) const {
    std::vector<handled> answers(rows.size(), handled{inbox::ack()});
    std::vector<std::size_t> places;
    std::vector<std::string> items;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (auto item = describe_item(*rows[i])) {
        places.push_back(i);
        items.push_back(std::move(*item));
      } else {
        answers[i] = tl::unexpected{std::move(item.error())};
      }
    if (items.empty())
      return answers;
    const auto means = run_items(rows, places, items, *signal);
    for (std::size_t i = 0; i < places.size(); ++i)
      answers[places[i]] = means[i];
    return answers;
  }

  std::vector<handled> run_items(std::span<const shared_delivery> rows,
                                 const std::vector<std::size_t>& places,
                                 const std::vector<std::string>& items,
                                 const inbox::stop_signal& signal) const {
    const auto all = [&](handled one) {
      return std::vector<handled>(items.size(), one);
    };
    std::string ids;
    for (const auto place : places)
      ids += (ids.empty() ? "" : ",") + rows[place]->id().to_display();
    const auto& of = rows[0]->of();
    const auto input = describe_batch(of.name, items);
    if (!input)
      return all(tl::unexpected{input.error()});
    const program_call call{of, std::move(ids), log, signal};
    auto ran = call.run(what, *input, *spawns, true);
    if (!ran)
      return all(tl::unexpected{std::move(ran.error())});
    auto answer = read_batch_answer(*ran, items.size());
    if (!answer.warning.empty())
      call.warn(answer.warning);
    return std::move(answer.means);
  }
};

} // namespace

inbox::handler program_handler(program what, std::shared_ptr<spawner> spawns,
                               inbox::log_sink log) {
  return
    [by = runner{std::move(what), std::move(spawns), std::move(log)}](
      const inbox::delivery& d, inbox::context& ctx) { return by.run(d, ctx); };
}

inbox::batch_handler program_batch_handler(program what,
                                           std::shared_ptr<spawner> spawns,
                                           inbox::log_sink log) {
  return {[by = runner{std::move(what), std::move(spawns), std::move(log)}](
            std::span<const shared_delivery> rows,
            const shared_signal& signal) { return by.run(rows, signal); }};
}

} // namespace inboxctl
