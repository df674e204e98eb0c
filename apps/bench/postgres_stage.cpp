#include "postgres_stage.hpp"

#include <array>

#include "jobs.hpp"
#include "process_tree.hpp"

namespace bench {

namespace {

const std::string name{table_name};

/// No autovacuum, so that it does not run in one subject's time.
std::string create(std::uint32_t fillfactor) {
  return "CREATE TABLE " + name
         + " (id bigserial PRIMARY KEY, name text NOT NULL, "
           "retry_after timestamptz NOT NULL, "
           "attempt integer NOT NULL DEFAULT 1, locked_until timestamptz, "
           "payload bytea NOT NULL) WITH (autovacuum_enabled = off, "
           "fillfactor = "
         + std::to_string(fillfactor) + ")";
}

std::string insert(std::size_t rows) {
  return "INSERT INTO " + name + " (id, name, retry_after, payload) SELECT n, '"
         + std::string{group_name}
         + "', now() - interval '1 hour' + n * interval '1 microsecond', "
           "convert_to(repeat('x', "
         + std::to_string(payload_size) + "), 'UTF8') FROM generate_series(1, "
         + std::to_string(rows) + ") AS n";
}

constexpr std::array told{"server_version",     "fsync",
                          "synchronous_commit", "full_page_writes",
                          "wal_sync_method",    "shared_buffers"};

} // namespace

postgres_stage::postgres_stage(pg_link on, std::uint32_t fillfactor)
  : on_{std::move(on)}, fillfactor_{fillfactor} {}

postgres_stage::~postgres_stage() {
  (void)on_.run("DROP TABLE IF EXISTS " + name);
}

inbox::expected<std::shared_ptr<postgres_stage>>
postgres_stage::open(std::string url, std::uint32_t fillfactor) {
  auto link = pg_link::open(url);
  if (!link)
    return tl::make_unexpected(link.error());
  if (auto quiet = link->run("SET client_min_messages = warning"); !quiet)
    return tl::make_unexpected(quiet.error());
  std::shared_ptr<postgres_stage> stage{
    new postgres_stage{std::move(*link), fillfactor}};
  stage->find_server();
  return stage;
}

inbox::expected<std::string> postgres_stage::ask(const std::string& query) {
  return on_.run(query).map(
    [](const pg_result& r) { return std::string{PQgetvalue(r.get(), 0, 0)}; });
}

void postgres_stage::find_server() {
  const auto backend = ask("SELECT pg_backend_pid()");
  if (!backend)
    return;
  const auto parent = parent_of(std::stoi(*backend));
  if (parent && name_of(*parent).starts_with("postgres"))
    postmaster_ = *parent;
}

inbox::expected<void> postgres_stage::fill(std::size_t rows) {
  const std::string texts[]{
    "DROP TABLE IF EXISTS " + name, create(fillfactor_), insert(rows),
    "CREATE INDEX " + name + "_claim ON " + name + " (name, retry_after, id)",
    // Also writes the hint bits, which the first reader would write otherwise.
    "VACUUM (ANALYZE) " + name};
  for (const auto& text : texts)
    if (auto ran = on_.run(text); !ran)
      return tl::make_unexpected(ran.error());
  return {};
}

inbox::expected<std::size_t> postgres_stage::left() {
  return ask("SELECT count(*) FROM " + name).map([](const std::string& n) {
    return std::stoul(n);
  });
}

std::optional<inbox::duration> postgres_stage::server_cpu() {
  if (postmaster_ == 0)
    return std::nullopt;
  return family_cpu(postmaster_);
}

inbox::expected<facts> postgres_stage::about() {
  facts all;
  for (const auto* setting : told) {
    auto now = ask(std::string{"SHOW "} + setting);
    if (!now)
      return tl::make_unexpected(now.error());
    all.emplace_back(setting, *now);
  }
  all.emplace_back("fillfactor", std::to_string(fillfactor_));
  all.emplace_back("autovacuum of the table", "off");
  all.emplace_back("server CPU", postmaster_ ? "read" : "not on this machine");
  return all;
}

} // namespace bench
