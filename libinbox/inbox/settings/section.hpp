#pragma once

#include <array>
#include <span>
#include <utility>

#include "inbox/settings/tree.hpp"
#include "inbox/time.hpp"

namespace inbox::settings {

/// One table of a configuration file, read key by key. A key that is absent
/// leaves its target as it is; the first fault is kept and later reads change
/// nothing that matters. The keys asked for are the legal ones.
class section {
public:
  /// @param name as written between the brackets; "" is the file itself.
  /// @param file and `from` outlive the section.
  section(const std::string& file, std::string name, const node& from);

  void read(std::string_view key, std::string& into);
  void read(std::string_view key, bool& into);
  void read(std::string_view key, double& into);
  /// A list of strings.
  void read(std::string_view key, std::vector<std::string>& into);
  /// A whole number, `least` or more.
  void read(std::string_view key, std::uint32_t& into, std::uint32_t least);
  /// A string such as "30s", `least` or longer.
  void read(std::string_view key, duration& into, duration least);

  /// Reads into a fresh value.
  template <class T, class... Least>
  void read(std::string_view key, std::optional<T>& into, Least... least) {
    T value{};
    read(key, value, least...);
    if (has(key))
      into = std::move(value);
  }

  /// One word of a list, translated by position.
  template <class T, std::size_t N>
  void read(std::string_view key, T& into,
            const std::array<std::pair<std::string_view, T>, N>& words) {
    std::array<std::string_view, N> legal;
    for (std::size_t i = 0; i < N; ++i)
      legal[i] = words[i].first;
    if (const auto at = word(key, legal))
      into = words[*at].second;
  }

  /// Tables within this one, in the file's order: every member, under any
  /// name.
  std::vector<section> sections();
  /// The table under `key`, if there is one.
  std::optional<section> inner(std::string_view key);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  const std::string& name() const noexcept { return name_; }
  /// The last part of the name.
  const std::string& key() const noexcept { return key_; }
  /// "inboxctl.toml:12", of a key or of the section itself.
  std::string where(std::string_view key = {}) const;

  /// Keeps a fault, placed at `key`, or at the section when it lacks that.
  void refuse(std::string_view key, std::string why,
              errc code = errc::invalid_setting);
  /// Keeps the fault of an inner section.
  void take(expected<void> of_inner);

  /// @returns the first fault, or a key that was not asked for.
  expected<void> finish() const;

private:
  const node* find(std::string_view key) const;
  const node* ask(std::string_view key);
  std::optional<std::size_t> word(std::string_view key,
                                  std::span<const std::string_view> legal);
  std::uint32_t line(std::string_view key) const;
  std::string named(std::string why) const;
  expected<void> check_keys() const;

  const std::string* file_;
  std::string name_;
  std::string key_;
  const node::members* members_;
  std::uint32_t line_;
  std::vector<std::string_view> legal_;
  std::optional<failure> fault_;
};

} // namespace inbox::settings
