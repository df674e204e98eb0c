#pragma once

// Sessions with the test server.

#include <memory>
#include <optional>
#include <string>

#include <unistd.h>

#include "inbox/postgres/connection.hpp"
#include "inbox/postgres/dialect.hpp"
#include "inbox/postgres/pool.hpp"
#include "inbox/test/server.hpp"
#include "inbox/test/unit.hpp"

namespace inbox::test {

/// Whether a call ends in an exception of this type.
template <class Exception, class F>
bool throws(F call) {
  try {
    call();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

/// An open session of a test, and a schema of its own to work in that goes
/// when the test ends.
class postgres_fixture {
public:
  postgres_fixture() : url_{postgres_url()} {
    if (!url_)
      return;
    static int count = 0;
    schema_ = "test_" + std::to_string(::getpid()) + "_"
              + std::to_string(++count);
    main_ = connect();
    run("DROP SCHEMA IF EXISTS " + schema_ + " CASCADE");
    run("CREATE SCHEMA " + schema_);
  }

  ~postgres_fixture() {
    if (!url_)
      return;
    // On a session of its own: the test may have broken off the other.
    postgres::connection last{where(), {}};
    if (last.open())
      last.execute("DROP SCHEMA " + schema_ + " CASCADE", {});
  }

  bool is_skipped() const { return !url_; }
  const std::string& url() const { return *url_; }
  const std::string& schema() const { return schema_; }
  postgres::connection& db() { return *main_; }

  postgres::address where() const {
    return unbox(postgres::read_address(*url_));
  }

  std::unique_ptr<postgres::connection>
  connect(session_settings settings = {}) const {
    auto c = std::make_unique<postgres::connection>(where(), settings);
    unbox(c->open());
    return c;
  }

  shared_rows run(const std::string& text, std::vector<value> values = {}) {
    return unbox(main_->execute(text, values)).rows;
  }

  std::int64_t count(const std::string& text) {
    return run(text)->at(0, 0).as_integer().value_or(-1);
  }

  /// The last number of a one-column result, as text.
  std::string one(const std::string& text) {
    return run(text)->at(0, 0).to_display();
  }

  /// Ends another session's backend as an operator would.
  void kill(postgres::connection& other) {
    run("SELECT pg_terminate_backend("
        + std::to_string(PQbackendPID(other.lent().raw())) + ", 5000)");
  }

private:
  std::optional<std::string> url_;
  std::string schema_;
  std::unique_ptr<postgres::connection> main_;
};

} // namespace inbox::test
