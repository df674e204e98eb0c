#pragma once

#include <filesystem>

#include "scenario.hpp"

namespace bench {

/// How long a commit waits for the disk.
enum class synchronous : std::uint8_t { normal, full };

/// The pragma's word.
constexpr const char* to_string(synchronous s) noexcept {
  return s == synchronous::full ? "FULL" : "NORMAL";
}

/// The table in a file of a temporary folder, in WAL mode. While a stage
/// exists, every connection this process opens, the library's too, gets the
/// `synchronous` it was last filled for.
class sqlite_stage final : public stage {
public:
  /// @param below the folder to make the temporary one in.
  static inbox::expected<std::shared_ptr<sqlite_stage>>
  open(const std::filesystem::path& below, synchronous how);
  ~sqlite_stage() override;

  inbox::expected<void> fill(std::size_t rows) override;
  inbox::expected<std::size_t> left() override;
  /// Nothing: SQLite works in this process.
  std::optional<inbox::duration> server_cpu() override { return std::nullopt; }
  inbox::expected<facts> about() override;

  std::string file() const { return (folder_ / "jobs.sqlite").string(); }

private:
  sqlite_stage(std::filesystem::path folder, synchronous how)
    : folder_{std::move(folder)}, how_{how} {}

  std::filesystem::path folder_;
  synchronous how_;
};

} // namespace bench
