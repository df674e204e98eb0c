// Serves one row of a SQLite table with nothing but the installed library.

#include <atomic>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include <inbox/actors/service.hpp>
#include <inbox/describe.hpp>
#include <inbox/handler_adapt.hpp>
#include <inbox/sqlite/pool.hpp>

namespace {

using namespace std::chrono_literals;

struct letter {
  std::int64_t id = 0;
  inbox::time_point due;
  std::int32_t attempt = 1;
  std::optional<inbox::time_point> locked_until;
  std::string body;
};

consteval auto inbox_table(std::type_identity<letter>) {
  using namespace inbox::role;
  return inbox::describe<letter, "letters">(
    id<&letter::id>(generated), retry_after<&letter::due>(generated),
    attempt<&letter::attempt>(generated), locked_until<&letter::locked_until>(),
    payload<&letter::body>());
}

inbox::expected<inbox::subscription> letters() {
  return inbox::to_table<letter>().map([](inbox::table t) {
    inbox::subscription_settings settings;
    settings.workers = 2;
    settings.poll_interval = 100ms;
    return inbox::subscription{"letters", std::move(t), settings};
  });
}

/// Runs each statement on a session of its own.
inbox::expected<void> execute(const inbox::pool& on,
                              std::initializer_list<std::string_view> texts) {
  if (!on.to)
    return tl::make_unexpected(on.to.error());
  const auto session = (*on.to)->connect();
  if (auto opened = session->open(); !opened)
    return tl::make_unexpected(opened.error());
  for (const auto text : texts)
    if (auto ran = session->execute(text, {}); !ran)
      return tl::make_unexpected(ran.error());
  return {};
}

inbox::expected<std::int64_t> count_rows(const inbox::pool& on) {
  const auto session = (*on.to)->connect();
  return session->open()
    .and_then([&](auto&&) {
      return session->execute("SELECT count(*) FROM letters", {});
    })
    .map([](const inbox::execution& ran) {
      return ran.rows->at(0, 0).as_integer().value_or(-1);
    });
}

int fail(const auto& why) {
  std::cerr << why << '\n';
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2)
    return fail("usage: user FILE");
  std::ofstream{argv[1]}.flush();
  const auto on = inbox::sqlite::pool(argv[1], {.size = 3, .wal = true});
  const auto filled = execute(
    on, {"CREATE TABLE letters (id INTEGER PRIMARY KEY, due TEXT "
         "NOT NULL DEFAULT CURRENT_TIMESTAMP, attempt INTEGER NOT NULL "
         "DEFAULT 1, locked_until TEXT, body TEXT NOT NULL)",
         "INSERT INTO letters (body) VALUES ('{\"to\": \"Ada\"}')"});
  if (!filled)
    return fail(filled.error());
  auto queue = letters();
  if (!queue)
    return fail(queue.error());

  std::atomic<int> greeted = 0;
  inbox::service service{on};
  service.serve(*queue, inbox::adapt([&](const nlohmann::json& letter) {
    greeted += letter.at("to") == "Ada" ? 1 : 100;
    service.drain();
  }));
  if (const auto ran = service.run(); !ran)
    return fail(ran.error());

  if (greeted != 1)
    return fail("the row was handled " + std::to_string(greeted) + " times");
  const auto left = count_rows(on);
  if (!left)
    return fail(left.error());
  return *left == 0 ? 0 : fail("the row is still there");
}
