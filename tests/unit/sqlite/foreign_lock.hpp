#pragma once

// Include after "inbox/test/unit.hpp".

#include <string>

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inbox::test {

/// Another process that holds the file locked until it is let go.
class foreign_lock {
public:
  explicit foreign_lock(const std::string& path) {
    int ready[2], end[2];
    if (::pipe(ready) != 0 || ::pipe(end) != 0)
      CAF_FAIL("no pipe");
    child_ = ::fork();
    if (child_ == 0) {
      sqlite3* db = nullptr;
      const bool held = sqlite3_open(path.c_str(), &db) == SQLITE_OK
                        && sqlite3_exec(db, "BEGIN EXCLUSIVE", nullptr, nullptr,
                                        nullptr)
                             == SQLITE_OK;
      char told = held ? 'y' : 'n';
      ::close(end[1]);
      if (::write(ready[1], &told, 1) == 1 && ::read(end[0], &told, 1) >= 0)
        ::_exit(0);
      ::_exit(1);
    }
    ::close(end[0]);
    ::close(ready[1]);
    char told = 0;
    if (::read(ready[0], &told, 1) != 1 || told != 'y')
      CAF_FAIL("the other process got no lock");
    ::close(ready[0]);
    end_ = end[1];
  }
  ~foreign_lock() { let_go(); }

  void let_go() {
    if (end_ < 0)
      return;
    ::close(end_);
    end_ = -1;
    ::waitpid(child_, nullptr, 0);
  }

private:
  pid_t child_ = -1;
  int end_ = -1;
};

} // namespace inbox::test
