#pragma once

#include <atomic>

#include "inbox/test/scripted_table.hpp"

namespace inbox::test {

/// A session with a scripted table.
class scripted_connection : public connection {
public:
  explicit scripted_connection(std::shared_ptr<scripted_table> in);
  ~scripted_connection() override;

  expected<server_facts> open() override;
  expected<void> prepare(const shared_statements& statements) override;
  trip_result run(const trip& request, time_point now) override;
  expected<execution> execute(std::string_view text,
                              std::span<const value> values) override;
  expected<void> begin() override { return {}; }
  expected<void> commit() override { return {}; }
  void roll_back() noexcept override {}
  expected<time_point> clock() override { return table_->clock_(); }
  bool is_lost() const noexcept override { return lost_; }
  void interrupt() noexcept override;

private:
  trip_result fail_all(const trip& request, const failure& why);
  trip_result lose_commit(const trip& request);
  trip_result run_locked(const trip& request, time_point now);
  void settle_all(const trip& request, time_point now, trip_result& to,
                  std::map<std::int64_t, scripted_row>& in,
                  std::vector<scripted_table::line>& lines) const;
  void extend_all(const trip& request, time_point now, trip_result& to,
                  std::map<std::int64_t, scripted_row>& in) const;
  claimed_rows claim(const claim_order& order, time_point now,
                     std::map<std::int64_t, scripted_row>& in);
  void unlock();

  std::shared_ptr<scripted_table> table_;
  std::set<std::int64_t> locked_; ///< rows of the open transaction
  std::atomic<bool> lost_{false};
};

} // namespace inbox::test
