#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "inbox/driver.hpp"

namespace inbox::test {

namespace fs = std::filesystem;

/// What a finished program left behind.
struct finished {
  int code = -1; ///< Its exit code; 128 plus the signal that ended it.
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// A program under way, its output in files of `folder`. Killed and collected
/// when this ends.
class under_way {
public:
  under_way(std::vector<std::string> words, const fs::path& folder,
            const std::string& input);
  ~under_way();
  under_way(const under_way&) = delete;
  under_way& operator=(const under_way&) = delete;

  int pid() const noexcept { return pid_; }
  void send(int signal) const;
  std::string err() const;

  /// Waits for its end; a program that takes longer than a minute fails the
  /// test.
  finished wait();

private:
  fs::path out_;
  fs::path err_;
  int pid_ = -1;
};

/// Waits until something is true, a minute at most.
/// @returns whether it is.
bool eventually(const std::function<bool()>& is_true);

std::string contents(const fs::path& file);

/// One database of a test, with a folder of its own.
class place {
public:
  virtual ~place();

  fs::path folder() const { return folder_; }
  const std::string& url() const { return url_; }
  /// "jobs", with the test's own schema where the database has any.
  std::string table(const std::string& name) const { return schema_ + name; }
  virtual const char* product() const = 0;

  /// Writes inboxctl.toml: the database's section and this text, in which
  /// @NAME stands for `table("NAME")`.
  void configure(const std::string& queues) const;

  /// Writes a program of the test's own.
  std::string script(const std::string& name, const std::string& body) const;

  /// Runs inboxctl in the folder and waits for it.
  finished run(std::vector<std::string> words,
               const std::string& input = "") const;
  std::unique_ptr<under_way> start(std::vector<std::string> words) const;

  /// Runs statements, @NAME as above, and gives the last one's rows.
  shared_rows sql(const std::string& text) const;

  /// Creates the tables of the configuration.
  void create_tables() const;

protected:
  place(std::string url, std::string schema);

private:
  std::string fill_in(std::string text) const;

  fs::path folder_;
  std::string url_;
  std::string schema_;
};

/// The places to run a test at: SQLite always, Postgres where the environment
/// names a server.
std::vector<std::unique_ptr<place>> places();
std::unique_ptr<place> sqlite_place();

} // namespace inbox::test
