#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>

#include "commands/new_row.hpp"
#include "inbox/announcement.hpp"
#include "inbox/insertion.hpp"
#include "json_text.hpp"
#include "progress.hpp"
#include "workspace.hpp"

namespace inboxctl {

using inbox::errc;
using inbox::expected;

namespace {

struct enqueue_options {
  std::string queue;
  row_options row;
  std::string file;
  bool lines = false;
  std::uint32_t count = 1;
};

constexpr auto example
  = "Example:\n"
    "  inboxctl enqueue emails --payload hello --header lang=en --delay 10s\n"
    "  inboxctl enqueue emails --lines < addresses.txt";

/// All of a stream; nothing when it cannot be read.
expected<std::string> read_all(std::istream& in, const std::string& name) {
  std::string octets{std::istreambuf_iterator<char>{in}, {}};
  if (in.bad())
    return inbox::refuse(errc::statement, name + " cannot be read");
  return octets;
}

expected<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream in{path, std::ios::binary};
  // A folder opens, and fails when it is read.
  if (!in || in.peek() == std::ifstream::traits_type::eof())
    if (errno != 0)
      return inbox::refuse(errc::statement,
                           path + ": cannot be read: " + std::strerror(errno));
  return read_all(in, path);
}

/// Each line is one payload; a final empty line is none, and CR is kept.
std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto newline = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, newline - from));
    from = newline + 1;
  }
  return lines;
}

/// The payloads to write. A table without a payload column takes rows of
/// nothing but their roles, and standard input stays unread.
expected<std::vector<std::string>> read_payloads(const enqueue_options& how,
                                                 const inbox::table& t) {
  if (t.is_row_mode())
    return std::vector<std::string>{""};
  if (how.row.payload)
    return std::vector{*how.row.payload};
  auto octets = how.file.empty() ? read_all(std::cin, "standard input")
                                 : read_file(how.file);
  if (!octets)
    return tl::unexpected{std::move(octets.error())};
  if (how.lines)
    return split_lines(*octets);
  return std::vector{std::move(*octets)};
}

class enqueuing {
public:
  enqueuing(const reporter& tell, const inbox::dialect& speaks,
            const inbox::subscription& queue, inbox::connection& to)
    : tell_{tell},
      speaks_{speaks},
      queue_{queue},
      to_{to},
      groups_{queue.description} {}

  /// Writes a row for each payload so many times: all, or none.
  expected<std::vector<json>> all(inbox::new_row row,
                                  const std::vector<std::string>& payloads,
                                  std::uint32_t times) {
    auto done = to_.begin().and_then(
      [&] { return write(row, payloads, times); });
    if (!done) {
      to_.roll_back();
      return tl::unexpected{std::move(done.error())};
    }
    if (auto committed = to_.commit(); !committed)
      return tl::unexpected{std::move(committed.error())};
    return std::move(ids_);
  }

  /// The rows are committed: what goes wrong here costs time alone.
  void announce() const {
    const auto told = inbox::announce(to_, speaks_, queue_.description,
                                      groups_.all());
    if (!told)
      tell_.log({inbox::log_level::warning,
                 "the rows were not announced; the poll finds them",
                 {{"error", told.error().to_string()}}});
  }

private:
  expected<void> write(inbox::new_row& row,
                       const std::vector<std::string>& payloads,
                       std::uint32_t times) {
    progress shown{tell_, "rows", payloads.size() * std::uint64_t{times}};
    inbox::insertions gathered{speaks_, queue_.description,
                               [&](const inbox::insertion& made) {
                                 auto written = write(made);
                                 shown.at(ids_.size());
                                 return written;
                               }};
    const auto now = inbox::host_now();
    return gathered.add(
      groups_.noting({payloads.size() * times, [&](std::size_t at) {
                        row.payload = payloads[at % payloads.size()];
                        return values_of(queue_, row, now);
                      }}));
  }

  expected<void> write(const inbox::insertion& made) {
    return run(to_, made).map([this](const std::vector<inbox::value>& ids) {
      for (const auto& id : ids)
        ids_.push_back(id.is_null() ? json(nullptr) : id_json(id));
    });
  }

  const reporter& tell_;
  const inbox::dialect& speaks_;
  const inbox::subscription& queue_;
  inbox::connection& to_;
  inbox::written_groups groups_;
  std::vector<json> ids_;
};

void print(const enqueue_options& how, const common_options& common,
           const std::vector<json>& ids) {
  if (common.json) {
    std::cout << json{{"queue", how.queue}, {"ids", ids}}.dump() << '\n';
    return;
  }
  std::cout << "enqueued " << ids.size() << (ids.size() == 1 ? " row" : " rows")
            << " in " << how.queue;
  if (ids.size() == 1)
    std::cout << ", id " << ids.front().dump();
  else if (!ids.empty())
    std::cout << ", ids " << ids.front().dump() << " to " << ids.back().dump();
  std::cout << '\n';
}

expected<exit_code> enqueue(const enqueue_options& how,
                            const surroundings& with) {
  auto work = open_workspace(with, {how.queue});
  if (!work)
    return tl::unexpected{std::move(work.error())};
  const auto& queue = work->queues.front();
  const bool takes_payload = how.row.payload || how.lines || !how.file.empty();
  if (auto fits = check_roles(queue, how.row, takes_payload); !fits)
    return tl::unexpected{std::move(fits.error())};
  const auto payloads = read_payloads(how, queue.queue.description);
  if (!payloads)
    return tl::unexpected{payloads.error()};
  auto to = connect(work->database());
  if (!to)
    return tl::unexpected{std::move(to.error())};
  const auto& speaks = work->database().speaks();
  const auto typed = with_payload_type(speaks, **to, queue);
  if (!typed)
    return tl::unexpected{explain(typed.error(), queue.queue)};
  enqueuing rows{with.tell, speaks, *typed, **to};
  const auto ids = rows.all(row_of(how.row), *payloads, how.count);
  if (!ids)
    return tl::unexpected{explain(ids.error(), queue.queue)};
  if (work->pool.listen_notify)
    rows.announce();
  print(how, with.options, *ids);
  return exit_code::success;
}

void add_payload_options(CLI::App& to, enqueue_options& how) {
  auto* payload = to.add_option("--payload", how.row.payload, "The payload")
                    ->type_name("TEXT");
  auto* file = to.add_option("--file", how.file, "Take the payload from a file")
                 ->type_name("F");
  auto* lines = to.add_flag("--lines", how.lines,
                            "Each line of standard input is a payload");
  payload->excludes(file)->excludes(lines);
  file->excludes(lines);
}

} // namespace

void add_enqueue(CLI::App& to, action& chosen) {
  auto how = std::make_shared<enqueue_options>();
  auto* command = to.add_subcommand(
    "enqueue", "Write rows; the payload is standard input without an option");
  command->add_option("QUEUE", how->queue, "The queue")->required();
  add_payload_options(*command, *how);
  add_row_options(*command, how->row);
  command->add_option("--count", how->count, "Write it this many times")
    ->type_name("N")
    ->check(CLI::PositiveNumber);
  command->footer(example);
  command->callback([how, &chosen] {
    chosen = [how](const surroundings& with) { return enqueue(*how, with); };
  });
}

} // namespace inboxctl
