#define CAF_SUITE sqlite_open
#include "inbox/test/unit.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "file_fixture.hpp"
#include "inbox/sqlite/location.hpp"

using namespace inbox;
using namespace inbox::test;

namespace {

failure open_failure(const std::string& path) {
  const auto over = sqlite::pool(path, {.sessions = {1s, 1s, 50ms}});
  return refusal(unbox(over.to)->connect()->open());
}

bool says(const failure& f, std::string_view part) {
  CAF_MESSAGE(f.to_string());
  return f.message().find(part) != std::string::npos;
}

} // namespace

CAF_TEST(a path is written bare or after its scheme) {
  const struct {
    const char* url;
    const char* name;
  } cases[] = {
    {"queue.db", "queue.db"},
    {"sqlite:queue.db", "queue.db"},
    {"sqlite:/var/lib/queue.db", "/var/lib/queue.db"},
    {"sqlite:///var/lib/queue.db", "/var/lib/queue.db"},
    {"./at 10:15.db", "./at 10:15.db"},
    {":memory:", ":memory:"},
    {"sqlite::memory:", ":memory:"},
    {"file:x?mode=memory&cache=shared", "file:x?mode=memory&cache=shared"},
  };
  for (const auto& c : cases) {
    CAF_MESSAGE(c.url);
    CAF_CHECK_EQUAL(unbox(sqlite::parse_location(c.url)).name, c.name);
  }
  for (const auto* url : {"postgres://db/x", "sqlite:", ""})
    CAF_CHECK(refusal(sqlite::parse_location(url)).code()
              == errc::unknown_database);
}

CAF_TEST(B53 a database in memory is refused for more than one session) {
  const auto refused = refusal(sqlite::pool(":memory:", {.size = 4}).to);
  CAF_CHECK(refused.code() == errc::invalid_setting);
  CAF_CHECK(says(refused, "cache=shared"));
  const auto alone = sqlite::pool("sqlite::memory:", {.size = 1});
  unbox(unbox(alone.to)->connect()->open());
  const auto switched = sqlite::pool(":memory:", {.size = 1, .wal = true});
  unbox(unbox(switched.to)->connect()->open());
}

CAF_TEST(C-117 a description holds no path) {
  const auto over = unbox(sqlite::pool("/var/lib/secret.db").to);
  CAF_CHECK_EQUAL(over->description(), "sqlite");
  CAF_CHECK_EQUAL(over->speaks().name(), "sqlite");
  CAF_CHECK(over->has_one_writer());
}

CAF_TEST_FIXTURE_SCOPE(files, file_fixture)

CAF_TEST(a missing file is refused and not created) {
  const auto missing = folder.file("missing.db");
  const auto refused = open_failure(missing);
  CAF_CHECK(refused.code() == errc::connect);
  CAF_CHECK(says(refused, "does not exist"));
  CAF_CHECK(!std::filesystem::exists(missing));
}

CAF_TEST(what is no database file is refused with the reason) {
  std::filesystem::create_directory(folder.file("folder"));
  ::mkfifo(folder.file("fifo").c_str(), 0600);
  std::ofstream{folder.file("text")} << std::string(2000, 'x');
  const struct {
    const char* name;
    const char* part;
  } cases[] = {{"folder", "is a directory"},
               {"fifo", "is no regular file"},
               {"text", "not a database"},
               {"text/below", "cannot be reached"}};
  for (const auto& c : cases) {
    const auto refused = open_failure(folder.file(c.name));
    CAF_CHECK(refused.code() == errc::connect);
    CAF_CHECK(says(refused, c.part));
  }
}

CAF_TEST(a file this user may not read or write is refused by that reason) {
  ::chmod(path.c_str(), 0000);
  if (::access(path.c_str(), R_OK) == 0) {
    CAF_MESSAGE("SKIPPED: this user may read every file");
    return;
  }
  CAF_CHECK(says(refusal(unopened()->open()), "may not be read"));
  ::chmod(path.c_str(), 0400);
  CAF_CHECK(refusal(open()->prepare(statements())).code() == errc::read_only);
}

CAF_TEST(a damaged file is refused) {
  {
    std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(100);
    file << std::string(4000, 'x');
  }
  const auto refused = refusal(unopened()->open());
  CAF_CHECK(refused.code() == errc::connect);
  CAF_CHECK(says(refused, "integrity_check"));
}

CAF_TEST(a locked file is busy and its session opens once the lock is gone) {
  auto other = open();
  execute(*other, "PRAGMA locking_mode = EXCLUSIVE");
  unbox(other->begin());
  execute(*other, "INSERT INTO jobs (id) VALUES (1)");
  unbox(other->commit());
  const auto refused = refusal(unopened()->open());
  CAF_CHECK(refused.code() == errc::busy);
  CAF_CHECK(says(refused, "is locked"));
  other.reset();
  unbox(unopened()->open());
}

CAF_TEST(the journal mode is left alone with one note unless WAL is asked for) {
  const auto facts = unbox(unopened()->open());
  CAF_CHECK_EQUAL(facts.product, "SQLite");
  CAF_CHECK(!facts.version.empty());
  CAF_REQUIRE_EQUAL(facts.notes.size(), 1u);
  CAF_CHECK(facts.notes[0].find("journal mode delete") != std::string::npos);
  CAF_CHECK_EQUAL(answer(*open(), "PRAGMA journal_mode"), "delete");
  pool_settings.wal = true;
  CAF_CHECK_EQUAL(unbox(unopened()->open()).notes.size(), 0u);
  pool_settings.wal = false;
  CAF_CHECK_EQUAL(answer(*open(), "PRAGMA journal_mode"), "wal");
  CAF_CHECK_EQUAL(unbox(unopened()->open()).notes.size(), 0u);
}

CAF_TEST(a file that cannot be switched to WAL is refused) {
  const auto over = sqlite::pool("file:" + path + "?vfs=unix-none",
                                 {.wal = true});
  const auto refused = refusal(unbox(over.to)->connect()->open());
  CAF_CHECK(refused.code() == errc::invalid_setting);
  CAF_CHECK(says(refused, "journal mode delete"));
}

CAF_TEST(a file opened for reading serves no queue) {
  const auto over = sqlite::pool("file:" + path + "?mode=ro");
  const auto on = unbox(over.to)->connect();
  unbox(on->open());
  CAF_CHECK(refusal(on->prepare(statements())).code() == errc::read_only);
}

CAF_TEST(C-103 a missing table or column is a schema error before any claim) {
  auto on = open();
  auto spec = jobs();
  spec.columns.push_back({"bodi", column_role::data});
  const auto column = refusal(on->prepare(statements(spec)));
  CAF_CHECK(column.code() == errc::schema);
  CAF_CHECK(says(column, "bodi"));
  CAF_CHECK_EQUAL(column.table(), "jobs");
  CAF_CHECK_EQUAL(column.subscription(), "emails");
  CAF_CHECK(!column.statement().empty());
  spec = jobs();
  spec.name = "jobz";
  CAF_CHECK(
    says(refusal(on->prepare(statements(spec))), "no such table: jobz"));
  unbox(on->prepare(statements()));
}

CAF_TEST(nothing is asked of a session that is not open) {
  auto on = unopened();
  CAF_CHECK(refusal(on->begin()).code() == errc::connection_lost);
  CAF_CHECK(refusal(on->clock()).code() == errc::connection_lost);
  on->roll_back();
  trip request;
  request.statements = statements();
  request.claim = claim_order{1, 1};
  const auto result = on->run(request, now);
  CAF_CHECK(refusal(*result.claim).code() == errc::connection_lost);
  CAF_CHECK(result.session_lost.has_value());
}

CAF_TEST_FIXTURE_SCOPE_END()
