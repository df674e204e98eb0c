#define CAF_SUITE user_of_inboxctl
#include "user.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inbox/any/by_url.hpp"
#include "inbox/test/server.hpp"

namespace inbox::test {

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto patience = 60s;

/// Lets time pass between two looks.
void pause() {
  poll(nullptr, 0, 20);
}

void write_file(const fs::path& file, const std::string& octets) {
  std::ofstream{file, std::ios::binary} << octets;
}

std::string fresh_name() {
  static int made = 0;
  return std::to_string(getpid()) + "_" + std::to_string(++made);
}

int spawn(std::vector<std::string> words, const fs::path& folder,
          const fs::path& in, const fs::path& out, const fs::path& err) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const auto writes = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), writes, 0600);
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), writes, 0600);
  posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  std::vector<char*> argv;
  for (auto& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  int pid = -1;
  const auto failed = posix_spawn(&pid, argv[0], &files, nullptr, argv.data(),
                                  environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0)
    CAF_FAIL("cannot start " << words[0]);
  return pid;
}

class sqlite_file final : public place {
public:
  sqlite_file() : place{"", ""} {}
  const char* product() const override { return "SQLite"; }
};

class postgres_schema final : public place {
public:
  explicit postgres_schema(std::string url)
    : place{std::move(url), "apps_" + fresh_name() + "."} {
    sql("CREATE SCHEMA " + name());
  }
  ~postgres_schema() override { sql("DROP SCHEMA " + name() + " CASCADE"); }
  const char* product() const override { return "Postgres"; }

private:
  std::string name() const {
    const auto qualified = table("");
    return qualified.substr(0, qualified.size() - 1);
  }
};

} // namespace

under_way::under_way(std::vector<std::string> words, const fs::path& folder,
                     const std::string& input) {
  const auto base = folder / ("run_" + fresh_name());
  out_ = base.string() + ".out";
  err_ = base.string() + ".err";
  const fs::path in = base.string() + ".in";
  write_file(in, input);
  pid_ = spawn(std::move(words), folder, in, out_, err_);
}

under_way::~under_way() {
  if (pid_ < 0)
    return;
  send(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void under_way::send(int signal) const {
  kill(pid_, signal);
}

std::string under_way::err() const {
  return contents(err_);
}

finished under_way::wait() {
  int status = 0;
  const bool ended = eventually(
    [&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
  if (!ended)
    CAF_FAIL("the program did not end; it said: " << err());
  pid_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status)
                                     : 128 + WTERMSIG(status);
  return {code, contents(out_), contents(err_)};
}

bool eventually(const std::function<bool()>& is_true) {
  const auto until = steady::now() + patience;
  while (steady::now() < until) {
    if (is_true())
      return true;
    pause();
  }
  return is_true();
}

std::string contents(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

place::place(std::string url, std::string schema)
  : folder_{fs::temp_directory_path() / ("inboxctl_" + fresh_name())},
    url_{std::move(url)},
    schema_{std::move(schema)} {
  fs::create_directories(folder_);
  if (!url_.empty())
    return;
  url_ = "sqlite:" + (folder_ / "jobs.db").string();
  write_file(folder_ / "jobs.db", "");
}

place::~place() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string place::fill_in(std::string text) const {
  for (auto at = text.find('@'); at != std::string::npos;
       at = text.find('@', at + 1))
    text.replace(at, 1, schema_);
  return text;
}

void place::configure(const std::string& queues) const {
  write_file(folder_ / "inboxctl.toml",
             "[database]\nurl = \"" + url_ + "\"\n" + fill_in(queues));
}

std::string place::script(const std::string& name,
                          const std::string& body) const {
  const auto file = folder_ / name;
  write_file(file, "#!/bin/sh\n" + body);
  fs::permissions(file, fs::perms::owner_all);
  return file.string();
}

std::unique_ptr<under_way> place::start(std::vector<std::string> words) const {
  words.insert(words.begin(), INBOXCTL);
  return std::make_unique<under_way>(std::move(words), folder_, "");
}

finished place::run(std::vector<std::string> words,
                    const std::string& input) const {
  words.insert(words.begin(), INBOXCTL);
  return under_way{std::move(words), folder_, input}.wait();
}

shared_rows place::sql(const std::string& text) const {
  const auto pool = any::pool(url_);
  if (!pool.to)
    CAF_FAIL(pool.to.error().to_string());
  const auto on = (*pool.to)->connect();
  unbox(on->open());
  return unbox(on->execute(fill_in(text), {})).rows;
}

void place::create_tables() const {
  const auto ddl = run({"ddl"});
  CAF_REQUIRE_EQUAL(ddl.code, 0);
  const auto pool = any::pool(url_);
  const auto on = (*pool.to)->connect();
  unbox(on->open());
  // One statement at a time; those of a function's body belong together.
  std::istringstream statements{ddl.out};
  std::string one;
  for (std::string part; std::getline(statements, part, ';');) {
    one += (one.empty() ? "" : ";") + part;
    const auto opened = one.find("$announce$");
    if (opened != std::string::npos && opened == one.rfind("$announce$"))
      continue;
    if (one.find_first_not_of(" \n") != std::string::npos)
      unbox(on->execute(one, {}));
    one.clear();
  }
}

std::unique_ptr<place> sqlite_place() {
  return std::make_unique<sqlite_file>();
}

std::vector<std::unique_ptr<place>> places() {
  std::vector<std::unique_ptr<place>> all;
  all.push_back(sqlite_place());
  if (const auto url = postgres_url())
    all.push_back(std::make_unique<postgres_schema>(*url));
  return all;
}

} // namespace inbox::test
