#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "inbox/driver.hpp"

namespace inbox::test {

/// A subscription on a table with every role a queue needs, ready to serve.
/// Its statements have no texts: the scripted table needs none.
shared_statements
scripted_queue(form kind,
               const std::function<void(subscription_settings&)>& change = {});

/// One row of a scripted table.
struct scripted_row {
  std::int64_t id = 0;
  std::string payload = "x";
  time_point due{};
  std::int64_t attempt = 1;
  std::optional<time_point> locked_until{};
  std::string group = "emails";
  bool bad = false; ///< its payload holds a type that does not read
};

/// A queue's table in memory that answers trips as a database would, and
/// fails when it is told to. Any thread.
class scripted_table : public std::enable_shared_from_this<scripted_table> {
public:
  /// A row's end as an audit trigger would write it.
  struct line {
    std::int64_t id;
    event what;
    time_point at;
  };

  scripted_table(shared_statements of, clock_source clock)
    : of_{std::move(of)}, clock_{std::move(clock)} {}

  // -- rows -----------------------------------------------------------------
  void insert(scripted_row r);
  void insert_ids(std::int64_t first, std::int64_t last);
  std::optional<scripted_row> find(std::int64_t id) const;
  std::size_t size() const;
  std::vector<line> audit() const;
  /// Lines of the audit for each id.
  std::map<std::int64_t, int> settled_counts() const;
  /// Another holder takes the row, for an hour.
  void take_over(std::int64_t id);

  // -- faults ---------------------------------------------------------------
  void fail_next_trip(failure why);
  /// Each trip that comes fails so until it is taken back.
  void fail_trips(std::optional<failure> why);
  /// The next trip's commit loses the session; `written` says whether the
  /// server had committed.
  void lose_next_commit(bool written);
  void fail_opens(std::uint32_t times, failure why);
  /// Opening blocks until it is interrupted.
  void hang_opens(bool on);
  /// Settling this row is refused; nothing takes it back.
  void refuse_id(std::int64_t id, std::optional<failure> why);
  /// Asked before each trip; a failure it gives stands for the trip's.
  std::function<std::optional<failure>(const trip&)> before_trip;

  // -- what was asked -------------------------------------------------------
  std::vector<trip> trips() const;
  std::uint32_t opened() const;
  std::uint32_t connections() const;

  shared_database database(bool one_writer = false);

private:
  friend class scripted_connection;
  enum class commit : std::uint8_t { good, lost_after, lost_before };

  std::optional<failure> fault_of(const trip& t);
  commit next_commit();
  bool is_due(const scripted_row& r, time_point now) const;
  std::vector<std::int64_t> claimable(std::uint32_t limit,
                                      time_point now) const;
  shared_rows rows_of(const std::vector<std::int64_t>& ids) const;
  bool is_held(const settlement& end, const std::set<std::int64_t>& locked,
               std::map<std::int64_t, scripted_row>& in) const;
  settled settle_one(const settlement& end,
                     const std::set<std::int64_t>& locked, time_point now,
                     std::map<std::int64_t, scripted_row>& in,
                     std::vector<line>& lines) const;

  shared_statements of_;
  clock_source clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, scripted_row> rows_;
  std::set<std::int64_t> locked_; ///< by an open transaction
  std::vector<line> audit_;
  std::vector<trip> trips_;
  std::optional<failure> next_failure_;
  std::optional<failure> every_failure_;
  commit next_commit_ = commit::good;
  std::uint32_t opens_to_fail_ = 0;
  std::optional<failure> open_failure_;
  bool hang_opens_ = false;
  std::map<std::int64_t, failure> refused_;
  std::uint32_t opened_ = 0;
  std::uint32_t connections_ = 0;
};

} // namespace inbox::test
