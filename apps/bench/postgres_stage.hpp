#pragma once

#include "postgres_link.hpp"
#include "scenario.hpp"

namespace bench {

/// The table on a Postgres server. Its processes' CPU is read from /proc, so
/// only on the server's own machine.
class postgres_stage final : public stage {
public:
  /// @param fillfactor of the table, in per cent.
  static inbox::expected<std::shared_ptr<postgres_stage>>
  open(std::string url, std::uint32_t fillfactor);
  ~postgres_stage() override;

  inbox::expected<void> fill(std::size_t rows) override;
  inbox::expected<std::size_t> left() override;
  std::optional<inbox::duration> server_cpu() override;
  inbox::expected<facts> about() override;

private:
  postgres_stage(pg_link on, std::uint32_t fillfactor);
  inbox::expected<std::string> ask(const std::string& query);
  void find_server();

  pg_link on_;
  std::uint32_t fillfactor_;
  int postmaster_ = 0; ///< Its process; zero when it is not on this machine.
};

} // namespace bench
