#define CAF_SUITE example_config
#include "inbox/test/unit.hpp"

#include <cstring>
#include <fstream>
#include <sstream>

#include "inbox/settings.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace {

std::vector<std::string> lines() {
  std::ifstream in{INBOX_EXAMPLE_CONFIG};
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);)
    all.push_back(line);
  return all;
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& line : all)
    text += line + "\n";
  return text;
}

/// The key of "# key = value"; empty for any other line.
std::string shown_key(const std::string& line) {
  const auto end = line.find(" = ");
  if (line.rfind("# ", 0) != 0 || end == std::string::npos)
    return {};
  const auto key = line.substr(2, end - 2);
  return key.find(' ') == std::string::npos && key != "key" ? key : "";
}

expected<configuration> parse(const std::string& text) {
  return parse_configuration(text, "example.toml");
}

/// Everything the example says of its queue, in one text.
std::string told(const configuration& c) {
  const auto& how = c.queues.at(0).queue.settings;
  std::ostringstream out;
  out << c.database.pool << c.database.listen_notify << c.database.wal
      << c.queues[0].queue.group() << how.workers << '/' << how.batch << '/'
      << how.prefetch << to_string(how.poll_interval) << to_string(how.lease)
      << to_string(how.timeout) << to_string(how.drain_timeout);
  return out.str();
}

} // namespace

CAF_TEST(the example is a legal configuration) {
  const auto c = unbox(parse(joined(lines())));
  CAF_REQUIRE_EQUAL(c.queues.size(), 1u);
  CAF_CHECK(c.queues[0].queue.description.kind() == form::lease);
  CAF_CHECK_EQUAL(c.queues[0].queue.description.columns().size(), 10u);
}

CAF_TEST(what the example shows as a default is the default) {
  const auto all = lines();
  const auto plain = unbox(parse(joined(all)));
  std::string shown;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto key = shown_key(all[i]);
    if (key.empty())
      continue;
    shown += key + " ";
    // These have no default to show, only an example.
    if (key == "lock_key" || key == "isolation" || key == "mode"
        || key == "data")
      continue;
    CAF_MESSAGE(key);
    auto changed = all;
    changed[i].erase(0, 2);
    const auto c = unbox(parse(joined(changed)));
    CAF_CHECK_EQUAL(told(c), told(plain));
    CAF_CHECK(c.queues[0].queue.description
              == plain.queues[0].queue.description);
    CAF_CHECK(c.queues[0].queue.settings.on_failure
              == plain.queues[0].queue.settings.on_failure);
    CAF_CHECK(c.queues[0].queue.settings.on_decode_failure
              == plain.queues[0].queue.settings.on_decode_failure);
  }
  CAF_CHECK_EQUAL(shown,
                  "pool listen_notify wal group lock_key clock isolation "
                  "mode batch prefetch data poll_interval lease "
                  "on_decode_failure on_failure backoff drain_timeout "
                  "fifo ");
}

CAF_TEST(the example shows every legal key) {
  const auto text = "\n" + joined(lines());
  for (const auto* section :
       {"[database]", "[queue.emails]", "[queue.emails.columns]"}) {
    auto broken = text;
    broken.insert(broken.find(section) + std::strlen(section), "\nnone = 1");
    const auto message = refusal(parse(broken)).message();
    std::istringstream keys{message.substr(message.find("legal keys: ") + 12)};
    for (std::string key; std::getline(keys >> std::ws, key, ',');) {
      CAF_MESSAGE(key);
      CAF_CHECK(text.find("\n" + key + " = ") != std::string::npos
                || text.find("\n# " + key + " = ") != std::string::npos
                || key == "columns");
    }
  }
}
