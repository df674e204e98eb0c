#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inbox/postgres/link.hpp"

namespace inbox::postgres {

/// A statement as the server keeps it for one session.
struct prepared {
  std::string name;
  std::vector<Oid> parameters;
  std::vector<Oid> results;
  std::vector<std::string> columns; ///< the results' names
  /// Whether the results are asked for in the binary form: when all of their
  /// types can be read from it.
  bool is_binary = true;
};

/// The statements one session has prepared, by their text.
class prepared_statements {
public:
  /// Why a text was refused, and the position of that text.
  struct refusal {
    std::size_t which;
    failure why;
  };

  explicit prepared_statements(link& on) : link_{on} {}

  /// Prepares, in one round trip, those not prepared yet.
  /// @returns the first refusal; the others are prepared all the same.
  std::optional<refusal> prepare(std::span<const std::string_view> texts,
                                 deadline until);

  /// Null when the text is not prepared. Valid until it is forgotten.
  const prepared* find(std::string_view text) const;

  /// Lets a text be prepared once more, under a new name.
  void forget(std::string_view text);

  std::size_t size() const noexcept { return by_text_.size(); }
  void forget_all() noexcept { by_text_.clear(); }

private:
  expected<void> send(std::string_view text, const std::string& name);
  expected<prepared> receive(deadline until);

  link& link_;
  std::uint64_t names_ = 0;
  std::map<std::string, prepared, std::less<>> by_text_;
};

} // namespace inbox::postgres
