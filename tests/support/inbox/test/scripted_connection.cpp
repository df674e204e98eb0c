#include "inbox/test/scripted_connection.hpp"

namespace inbox::test {

namespace {

class scripted_dialect : public dialect {
public:
  std::string_view name() const noexcept override { return "scripted"; }
  std::string quote(std::string_view s) const override {
    return std::string{s};
  }
  std::string placeholder(std::size_t) const override { return "?"; }
  expected<shared_statements> build(const subscription& s) const override {
    return std::make_shared<const statement_set>(s);
  }
  expected<statement> insert(const table&, std::span<const std::uint16_t>,
                             std::size_t) const override {
    return refuse(errc::form_mismatch, "the scripted table takes no inserts");
  }
  std::size_t insert_limit(std::size_t) const noexcept override { return 1; }
  expected<std::string> ddl(const subscription&) const override {
    return refuse(errc::form_mismatch, "the scripted table needs no schema");
  }
};

class scripted_database : public database {
public:
  scripted_database(std::shared_ptr<scripted_table> in, bool one_writer)
    : table_{std::move(in)}, one_writer_{one_writer} {}
  const dialect& speaks() const noexcept override { return speaks_; }
  std::unique_ptr<connection> connect() const override {
    return std::make_unique<scripted_connection>(table_);
  }
  const std::string& description() const noexcept override { return name_; }
  bool has_one_writer() const noexcept override { return one_writer_; }

private:
  std::shared_ptr<scripted_table> table_;
  bool one_writer_;
  scripted_dialect speaks_;
  std::string name_ = "scripted";
};

template <class T>
void answer_all(const std::vector<T>& parts, settled::how went,
                const failure& why, std::vector<settled>& to) {
  to.clear();
  for (const auto& p : parts)
    to.push_back({p.delivery, went, why, {}});
}

} // namespace

shared_database scripted_table::database(bool one_writer) {
  return std::make_shared<scripted_database>(shared_from_this(), one_writer);
}

scripted_connection::scripted_connection(std::shared_ptr<scripted_table> in)
  : table_{std::move(in)} {
  const std::lock_guard lock{table_->mutex_};
  ++table_->connections_;
}

scripted_connection::~scripted_connection() {
  const std::lock_guard lock{table_->mutex_};
  unlock();
  --table_->connections_;
}

expected<server_facts> scripted_connection::open() {
  std::unique_lock lock{table_->mutex_};
  ++table_->opened_;
  table_->changed_.wait(lock, [this] { return lost_ || !table_->hang_opens_; });
  if (lost_)
    return refuse(errc::connect, "the opening was interrupted");
  if (table_->opens_to_fail_ > 0) {
    --table_->opens_to_fail_;
    lost_ = true;
    return tl::make_unexpected(*table_->open_failure_);
  }
  return server_facts{"scripted", "1"};
}

expected<void> scripted_connection::prepare(const shared_statements& of) {
  if (of->description().name() == table_->of_->description().name())
    return {};
  return refuse(errc::schema, "there is no such table; create it");
}

expected<execution> scripted_connection::execute(std::string_view,
                                                 std::span<const value>) {
  return refuse(errc::statement, "the scripted table runs no statements");
}

void scripted_connection::interrupt() noexcept {
  lost_ = true;
  const std::lock_guard lock{table_->mutex_};
  table_->changed_.notify_all();
}

void scripted_connection::unlock() {
  for (const auto id : locked_)
    table_->locked_.erase(id);
  locked_.clear();
}

trip_result scripted_connection::run(const trip& request, time_point now) {
  const std::lock_guard lock{table_->mutex_};
  table_->trips_.push_back(request);
  const failure gone{errc::connection_lost, "the session has ended"};
  if (lost_)
    return fail_all(request, gone);
  if (const auto why = table_->fault_of(request))
    return fail_all(request, *why);
  return run_locked(request, now);
}

trip_result scripted_connection::fail_all(const trip& request,
                                          const failure& why) {
  trip_result r;
  const auto went = why.is_outcome_unknown() ? settled::how::unknown
                                             : settled::how::failed;
  answer_all(request.settlements, went, why, r.settlements);
  answer_all(request.extensions, went, why, r.extensions);
  answer_all(request.read_backs, settled::how::failed, why, r.read_backs);
  if (request.claim)
    r.claim = tl::make_unexpected(why);
  unlock(); // whatever the failure, the transaction is over
  if (why.is_session_lost()) {
    lost_ = true;
    r.session_lost = why;
  }
  return r;
}

trip_result scripted_connection::run_locked(const trip& request,
                                            time_point now) {
  auto rows = table_->rows_;
  auto lines = table_->audit_;
  trip_result r;
  settle_all(request, now, r, rows, lines);
  extend_all(request, now, r, rows);
  // The end of the transaction that held the rows settled here.
  if (!request.settlements.empty() || request.roll_back)
    unlock();
  if (request.claim)
    r.claim = claim(*request.claim, now, rows);
  const auto how = table_->next_commit();
  if (how != scripted_table::commit::lost_before) {
    table_->rows_ = std::move(rows);
    table_->audit_ = std::move(lines);
  }
  return how == scripted_table::commit::good ? r : lose_commit(request);
}

trip_result scripted_connection::lose_commit(const trip& request) {
  return fail_all(
    request, {errc::outcome_unknown, "the session ended during the commit"});
}

void scripted_connection::settle_all(
  const trip& request, time_point now, trip_result& to,
  std::map<std::int64_t, scripted_row>& in,
  std::vector<scripted_table::line>& lines) const {
  for (const auto& end : request.settlements)
    to.settlements.push_back(table_->settle_one(end, locked_, now, in, lines));
  for (const auto& end : request.read_backs)
    to.read_backs.push_back({end.delivery,
                             table_->is_held(end, locked_, in)
                               ? settled::how::held
                               : settled::how::done,
                             {},
                             {}});
}

void scripted_connection::extend_all(
  const trip& request, time_point now, trip_result& to,
  std::map<std::int64_t, scripted_row>& in) const {
  for (const auto& e : request.extensions) {
    const settlement as_held{
      .delivery = e.delivery, .id = e.id, .held = e.held};
    if (!table_->is_held(as_held, locked_, in)) {
      to.extensions.push_back({e.delivery, settled::how::lost, {}, {}});
      continue;
    }
    auto& r = in.at(*e.id.view().as_integer());
    r.locked_until = lease_end(now, table_->of_->of().settings.lease);
    to.extensions.push_back(
      {e.delivery, settled::how::done, {}, token{*r.locked_until, r.attempt}});
  }
}

claimed_rows
scripted_connection::claim(const claim_order& order, time_point now,
                           std::map<std::int64_t, scripted_row>& in) {
  // What was settled in this trip is claimable in it.
  std::swap(in, table_->rows_);
  claimed_rows c{order.number, order.limit, {}, now, {}};
  const auto ids = table_->claimable(order.limit, now);
  c.rows = table_->rows_of(ids);
  std::swap(in, table_->rows_);
  const bool lease = table_->of_->description().kind() == form::lease;
  if (lease)
    c.locked_until = lease_end(now, table_->of_->of().settings.lease);
  for (const auto id : ids)
    if (lease) {
      in.at(id).locked_until = c.locked_until;
      ++in.at(id).attempt;
    } else {
      locked_.insert(id);
      table_->locked_.insert(id);
    }
  return c;
}

} // namespace inbox::test
