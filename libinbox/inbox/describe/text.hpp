#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace inbox::detail {

/// A string literal as a template argument: `describe<T, "email_jobs">`.
template <std::size_t N>
struct text {
  char octets[N]{};

  constexpr text() = default;
  constexpr text(const char (&literal)[N]) noexcept {
    for (std::size_t i = 0; i < N; ++i)
      octets[i] = literal[i];
  }

  /// Without the terminator.
  constexpr std::string_view view() const noexcept { return {octets, N - 1}; }
};

/// Where a letter stands first; npos for nowhere. What std::string_view::find
/// does, which g++ 12 takes for no constant under -fsanitize=undefined, since
/// it compares a pointer with null.
constexpr std::size_t place_of(std::string_view in, char letter) noexcept {
  for (std::size_t at = 0; at < in.size(); ++at)
    if (in[at] == letter)
      return at;
  return std::string_view::npos;
}

constexpr bool holds(std::string_view text, char letter) noexcept {
  return place_of(text, letter) != std::string_view::npos;
}

/// A pointer to a data member.
template <auto Member>
concept field = std::is_member_object_pointer_v<decltype(Member)>;

/// The name behind a pointer to a member, as the source spells it.
template <auto Member>
consteval std::string_view field_name() {
  // "... [with auto Member = &mailer::send_email::job_id; ...]", or the same
  // with "]" behind it, or with parentheses around it.
  std::string_view said = __PRETTY_FUNCTION__;
  said.remove_prefix(said.find("Member = ") + 9);
  said = said.substr(0, said.find_first_of(";]"));
  said.remove_prefix(said.rfind("::") + 2);
  return said.substr(0, said.find(')'));
}

template <class M>
struct member_of;

template <class Class, class Value>
struct member_of<Value Class::*> {
  using owner = Class;
  using type = Value;
};

} // namespace inbox::detail
