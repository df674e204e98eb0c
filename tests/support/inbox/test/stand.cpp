#include "inbox/test/stand.hpp"

#include <filesystem>

#include <unistd.h>

#include "inbox/test/server.hpp"

namespace inbox::test {

namespace {

struct part {
  bool shape::*present;
  column_role role;
  const char* name;
  column_type type;
};

constexpr part parts[] = {
  {&shape::group, column_role::group, "name", column_type::text},
  {&shape::priority, column_role::priority, "priority", column_type::integer},
  {&shape::retry_after, column_role::retry_after, "retry_after",
   column_type::time},
  {&shape::attempt, column_role::attempt, "attempt", column_type::integer},
  {&shape::processed_at, column_role::processed_at, "processed_at",
   column_type::time},
  {&shape::headers, column_role::headers, "meta", column_type::json},
};

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string{"''"} : std::string{c};
  return out + "'";
}

std::optional<time_point> instant_of(const std::optional<std::string>& text) {
  return text ? parse_time(*text) : std::nullopt;
}

std::optional<std::int64_t> number_of(const std::optional<std::string>& text) {
  return text ? std::optional{std::int64_t{std::stoll(*text)}} : std::nullopt;
}

} // namespace

stand::stand(cell where, shape has, std::string server)
  : where_{where}, bad_before_{caf::test::engine::current_test()->bad()} {
  static int count = 0;
  const auto unique = std::to_string(::getpid()) + "_"
                      + std::to_string(++count);
  if (is_postgres()) {
    if (server.empty())
      server = postgres_url().value_or("");
    if (server.empty())
      CAF_FAIL("SKIPPED tests need no stand");
    url_ = std::move(server);
    place_ = "stand_" + unique;
    db_ = open_postgres(url_);
    db_->run("DROP SCHEMA IF EXISTS " + place_ + " CASCADE");
    db_->run("CREATE SCHEMA " + place_);
  } else {
    place_ = std::filesystem::temp_directory_path() / ("inbox_" + unique);
    std::filesystem::create_directories(place_);
    url_ = "sqlite:" + file();
    db_ = client();
  }
  db_->run("CREATE TABLE " + name("settlements")
           + " (source text, id bigint, token text, seen text)");
  if (is_postgres())
    db_->run("CREATE FUNCTION " + place_
             + ".settled() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
               "INSERT INTO "
             + name("settlements")
             + " VALUES (TG_TABLE_NAME, OLD.id, to_jsonb(OLD)->>'locked_until'"
               ", clock_timestamp()::text); RETURN NULL; END $$");
  create("jobs", has);
}

stand::~stand() {
  for (const auto& s : services_)
    s->drain(true);
  services_.clear();
  if (caf::test::engine::current_test()->bad() > bad_before_)
    CAF_MESSAGE("the log:\n" << whole_log());
  try {
    if (is_postgres()) {
      open_postgres(url_)->run("DROP SCHEMA " + place_ + " CASCADE");
    } else {
      db_ = nullptr;
      std::filesystem::remove_all(place_);
    }
  } catch (const std::exception& e) {
    CAF_CHECK_EQUAL(std::string{e.what()}, "the stand is cleared away");
  }
}

std::unique_ptr<raw_database> stand::client(duration busy) const {
  return is_postgres() ? open_postgres(url_) : open_sqlite(file(), busy);
}

void stand::cut_sessions() {
  db_->run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
           "WHERE application_name = '"
           + place_ + "'");
}

// -- tables and rows ----------------------------------------------------------

table stand::described(const std::string& table_name) const {
  table_spec spec;
  spec.schema = is_postgres() ? place_ : "";
  spec.name = table_name;
  spec.columns.push_back({"id", column_role::id, true, column_type::integer});
  const auto& has = tables_.at(table_name);
  for (const auto& p : parts)
    if (has.*(p.present))
      spec.columns.push_back({p.name, p.role, false, p.type});
  if (is_lease())
    spec.columns.push_back(
      {"locked_until", column_role::locked_until, false, column_type::time});
  spec.columns.push_back(
    {"payload", column_role::payload, false, column_type::bytes});
  return unbox(table::make(std::move(spec)));
}

void stand::create(const std::string& table, shape has) {
  tables_[table] = has;
  const auto over = make_pool();
  db_->run(unbox(unbox(over.to)->speaks().ddl(queue({}, "emails", table))));
  audit(table, has);
}

void stand::audit(const std::string& table, const shape& has) {
  const auto on = name(table);
  if (is_postgres()) {
    db_->run("CREATE TRIGGER gone AFTER DELETE ON " + on
             + " FOR EACH ROW EXECUTE FUNCTION " + place_ + ".settled()");
    if (has.processed_at)
      db_->run("CREATE TRIGGER marked AFTER UPDATE ON " + on
               + " FOR EACH ROW WHEN (NEW.processed_at IS DISTINCT FROM "
                 "OLD.processed_at) EXECUTE FUNCTION "
               + place_ + ".settled()");
    return;
  }
  const auto note = " BEGIN INSERT INTO settlements VALUES ('" + table
                    + "', OLD.id, OLD.locked_until, CURRENT_TIMESTAMP); END";
  db_->run("CREATE TRIGGER gone_" + table + " AFTER DELETE ON " + on + note);
  if (has.processed_at)
    db_->run("CREATE TRIGGER marked_" + table
             + " AFTER UPDATE OF processed_at ON " + on
             + " WHEN NEW.processed_at IS NOT OLD.processed_at" + note);
}

std::string stand::name(const std::string& table) const {
  return is_postgres() ? place_ + "." + table : table;
}

std::int64_t stand::add(const job& j, const std::string& table) {
  const auto& has = tables_.at(table);
  const auto now = host_now();
  std::string names = "payload";
  std::string values = db_->octets(j.payload);
  const auto put = [&](const char* column, const std::string& value) {
    names += std::string{", "} + column;
    values += ", " + value;
  };
  if (j.id)
    put("id", std::to_string(*j.id));
  if (has.group)
    put("name", j.group ? quoted(*j.group) : "NULL");
  if (j.priority)
    put("priority", std::to_string(*j.priority));
  if (j.attempt)
    put("attempt", std::to_string(*j.attempt));
  if (j.headers)
    put("meta", quoted(*j.headers));
  if (j.due_in)
    put("retry_after", db_->instant(now + *j.due_in));
  if (j.leased_for)
    put("locked_until", db_->instant(now + *j.leased_for));
  return db_->count("INSERT INTO " + name(table) + " (" + names + ") VALUES ("
                    + values + ") RETURNING id");
}

void stand::add_many(int rows, const std::string& columns,
                     const std::string& values) {
  db_->run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
           "WHERE i < "
           + std::to_string(rows) + ") INSERT INTO " + name()
           + " (name, payload" + columns + ") SELECT 'emails', "
           + db_->octets("") + values + " FROM n");
}

std::vector<stored> stand::rows(const std::string& table) {
  const auto& has = tables_.at(table);
  const auto or_null = [](bool present, std::string text) {
    return ", " + (present ? text : "NULL");
  };
  std::vector<stored> all;
  for (const auto& r :
       db_->ask("SELECT id" + or_null(has.group, "name")
                + or_null(has.attempt, "attempt")
                + or_null(has.retry_after, db_->shown("retry_after"))
                + or_null(is_lease(), db_->shown("locked_until"))
                + or_null(has.processed_at, db_->shown("processed_at"))
                + " FROM " + name(table) + " ORDER BY id"))
    all.push_back({std::stoll(r.at(0).value()), r.at(1), number_of(r.at(2)),
                   instant_of(r.at(3)), instant_of(r.at(4)),
                   instant_of(r.at(5))});
  return all;
}

std::optional<stored> stand::find(std::int64_t id, const std::string& table) {
  for (auto& r : rows(table))
    if (r.id == id)
      return r;
  return std::nullopt;
}

std::int64_t stand::count(const std::string& table) {
  return db_->count("SELECT count(*) FROM " + name(table));
}

std::int64_t stand::settlements(std::optional<std::int64_t> id,
                                const std::string& table) {
  return db_->count("SELECT count(*) FROM " + name("settlements")
                    + " WHERE source = '" + table + "'"
                    + (id ? " AND id = " + std::to_string(*id) : ""));
}

void stand::keep_from_ending(std::int64_t id) {
  const auto number = std::to_string(id);
  if (is_postgres())
    db_->run(
      "CREATE FUNCTION " + name("refuse")
      + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.id = " + number
      + " THEN RAISE EXCEPTION 'not this one'; END IF; RETURN OLD; "
        "END $$; CREATE TRIGGER refuse BEFORE DELETE ON "
      + name() + " FOR EACH ROW EXECUTE FUNCTION " + name("refuse") + "()");
  else
    db_->run("CREATE TRIGGER refuse BEFORE DELETE ON jobs WHEN OLD.id = "
             + number + " BEGIN SELECT RAISE(ABORT, 'not this one'); END");
}

void stand::let_end() {
  db_->run("DROP TRIGGER refuse"
           + (is_postgres() ? " ON " + name() : std::string{}));
}

} // namespace inbox::test
