#pragma once

#include "inbox/sqlite/prepared_set.hpp"
#include "inbox/sqlite/time_watch.hpp"

namespace inbox::sqlite {

/// One subscription as one session serves it: its statements, prepared, in
/// the time shape that its rows need now.
class served {
public:
  static expected<served> make(open_file& in, shared_statements asked,
                               time_watch::settings watch);

  prepared_set& statements() noexcept { return ready_; }
  const table& description() const noexcept { return asked_->description(); }

  /// Looks at the rows' times when it is time to, and follows what it sees.
  expected<void> look(open_file& in, time_point now);

  /// True when the statements no longer fit because this due time is among
  /// the rows; they are replaced then.
  expected<bool> adapts_to(open_file& in, const value_view& id,
                           const value_view& due);

private:
  served(shared_statements asked, prepared_set ready,
         time_watch::settings watch);
  expected<void> change_to(open_file& in, time_shape shape);

  shared_statements asked_;
  prepared_set ready_;
  time_watch watch_;
  time_shape shape_ = time_shape::plain;
};

} // namespace inbox::sqlite
