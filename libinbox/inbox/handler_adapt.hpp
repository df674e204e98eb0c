#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "inbox/batch.hpp"
#include "inbox/describe/row.hpp"
#include "inbox/handler.hpp"

namespace inbox {

namespace detail {

/// The failure for the exception being handled: its text made printable and
/// cut off. Called within a catch clause.
failure exception_failure(errc code, std::string_view before);

expected<nlohmann::json> parse_payload(const delivery& d);

std::span<const std::byte> payload_bytes(const delivery& d) noexcept;

/// A callable's parameters and answer; empty where they cannot be told.
template <class F>
struct call_of {};

template <class R, class... A>
struct call_of<R (*)(A...)> {
  using answer = R;
  using parameters = std::tuple<A...>;
};

template <class R, class... A>
struct call_of<R (*)(A...) noexcept> : call_of<R (*)(A...)> {};
template <class C, class R, class... A>
struct call_of<R (C::*)(A...)> : call_of<R (*)(A...)> {};
template <class C, class R, class... A>
struct call_of<R (C::*)(A...) const> : call_of<R (*)(A...)> {};
template <class C, class R, class... A>
struct call_of<R (C::*)(A...) noexcept> : call_of<R (*)(A...)> {};
template <class C, class R, class... A>
struct call_of<R (C::*)(A...) const noexcept> : call_of<R (*)(A...)> {};

template <class F>
requires requires {
  &F::operator();
}
struct call_of<F> : call_of<decltype(&F::operator())> {};

template <class F>
concept has_one_signature = requires {
  typename call_of<F>::answer;
};

template <class T>
concept json_readable = requires(const nlohmann::json& json) {
  { json.template get<T>() } -> std::same_as<T>;
};

/// A parameter that can bind to a value lent for the call: by value, by const
/// reference or by rvalue reference.
template <class P>
inline constexpr bool is_lendable
  = !std::is_lvalue_reference_v<
      P> || std::is_const_v<std::remove_reference_t<P>>;

template <class... P>
inline constexpr bool is_context_last = false;
template <class First>
inline constexpr bool is_context_last<std::tuple<First>> = true;
template <class First, class Second>
inline constexpr bool
  is_context_last<std::tuple<First, Second>> = std::is_same_v<Second, context&>;

} // namespace detail

/// How a handler's input is made from a delivery. Anything without a
/// specialization is read from the JSON payload by nlohmann_json.
template <class T>
struct input_of {
  static_assert(detail::json_readable<T>,
                "inbox: a handler's input must be std::span<const std::byte>, "
                "std::string_view, std::string, inbox::row, a described "
                "struct, or a type that nlohmann_json reads: give it a "
                "from_json function");

  /// @returns `errc::undecodable`.
  static expected<T> read(const delivery& d) {
    auto json = detail::parse_payload(d);
    if (!json)
      return tl::make_unexpected(std::move(json).error());
    try {
      return json->template get<T>();
    } catch (...) {
      return tl::make_unexpected(detail::exception_failure(
        errc::undecodable, "the payload does not decode: "));
    }
  }
};

template <>
struct input_of<std::span<const std::byte>> {
  static expected<std::span<const std::byte>> read(const delivery& d) {
    return detail::payload_bytes(d);
  }
};

template <>
struct input_of<std::string_view> {
  static expected<std::string_view> read(const delivery& d) {
    return d.payload();
  }
};

template <>
struct input_of<std::string> {
  static expected<std::string> read(const delivery& d) {
    return std::string{d.payload()};
  }
};

template <>
struct input_of<row> {
  static expected<row> read(const delivery& d) { return d.columns(); }
};

/// A described struct is the row itself.
template <described T>
struct input_of<T> {
  static expected<T> read(const delivery& d) {
    return read_row<T>(d.columns()).map_error([](const failure& misfit) {
      return failure{errc::undecodable, misfit.message()};
    });
  }
};

namespace detail {

/// A function behind the call of `handler`; `adapt` checked its signature.
template <class F>
class adapted {
public:
  using call = call_of<F>;
  using parameter = std::tuple_element_t<0, typename call::parameters>;
  using input = std::remove_cvref_t<parameter>;

  explicit adapted(F f) : f_{std::make_shared<F>(std::move(f))} {}

  handled operator()(const delivery& d, context& ctx) const {
    auto read = input_of<input>::read(d);
    if (!read)
      return tl::make_unexpected(std::move(read).error());
    try {
      if constexpr (std::is_void_v<typename call::answer>) {
        invoke(std::move(*read), ctx);
        return ack();
      } else {
        return invoke(std::move(*read), ctx);
      }
    } catch (...) {
      return tl::make_unexpected(
        exception_failure(errc::handler_failed, "the handler threw: "));
    }
  }

private:
  decltype(auto) invoke(input&& in, context& ctx) const {
    if constexpr (std::tuple_size_v<typename call::parameters> == 2)
      return (*f_)(static_cast<parameter&&>(in), ctx);
    else
      return (*f_)(static_cast<parameter&&>(in));
  }

  // Shared, so that a handler that owns what cannot be copied will do.
  std::shared_ptr<F> f_;
};

} // namespace detail

namespace detail {

template <class P>
inline constexpr bool is_batch = false;
template <class T>
inline constexpr bool is_batch<std::tuple<batch<T>&>> = true;

template <class F>
concept takes_batch
  = has_one_signature<F> && is_batch<typename call_of<F>::parameters>;

template <class T>
T batch_value(std::type_identity<std::tuple<batch<T>&>>);

/// A function of a batch behind the call of `batch_handler`.
template <class F>
class adapted_batch {
public:
  using input = decltype(batch_value(
    std::type_identity<typename call_of<F>::parameters>{}));

  explicit adapted_batch(F f) : f_{std::make_shared<F>(std::move(f))} {}

  std::vector<handled>
  operator()(std::span<const shared_delivery> rows,
             const std::shared_ptr<const stop_signal>& signal) const {
    std::vector<handled> answers(rows.size(), handled{ack()});
    std::vector<std::size_t> places;
    std::vector<batch_item<input>> items;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (auto read = input_of<input>::read(*rows[i])) {
        places.push_back(i);
        items.emplace_back(*rows[i], signal, std::move(*read));
      } else {
        answers[i] = tl::make_unexpected(std::move(read).error());
      }
    if (!items.empty())
      run(batch<input>{std::move(items), signal}, places, answers);
    return answers;
  }

private:
  void run(batch<input> rows, const std::vector<std::size_t>& places,
           std::vector<handled>& answers) const {
    try {
      (*f_)(rows);
      for (std::size_t i = 0; i < places.size(); ++i)
        answers[places[i]] = rows[i].answer();
    } catch (...) {
      const handled failed = tl::make_unexpected(
        exception_failure(errc::handler_failed, "the handler threw: "));
      for (const auto place : places)
        answers[place] = failed;
    }
  }

  std::shared_ptr<F> f_;
};

} // namespace detail

/// Adapts a function of `inbox::batch<T>&`: it is given up to
/// `subscription_settings::batch` rows in one call and answers each through
/// its item. A row that does not decode is left out and settled by policy; an
/// exception fails every row of the call. It is called by several threads at
/// once.
template <detail::takes_batch F>
batch_handler adapt(F f) {
  static_assert(std::is_void_v<typename detail::call_of<F>::answer>,
                "inbox: a handler of inbox::batch answers through its items "
                "and returns void");
  return {detail::adapted_batch<F>{std::move(f)}};
}

/// Adapts a function to `handler`. Its first parameter is the input:
/// `std::span<const std::byte>`, `std::string_view` or `const std::string&`
/// for the raw payload, `const row&` or a described struct for the row, or a
/// type nlohmann_json reads from the JSON payload. A second one, `context&`, is
/// optional. It answers `outcome`, or nothing, which means `ack`. An input that
/// does not decode is `errc::undecodable`, an exception `errc::handler_failed`.
/// What is lent is valid until the function returns; it is called by several
/// threads at once.
template <class F>
handler adapt(F f) {
  if constexpr (!detail::has_one_signature<F>) {
    static_assert(detail::has_one_signature<F>,
                  "inbox: a handler must be a function with one signature: "
                  "name the types of a lambda's parameters, and wrap an "
                  "overloaded function in a lambda");
  } else {
    using call = detail::call_of<F>;
    constexpr bool takes_input
      = detail::is_context_last<typename call::parameters>;
    constexpr bool answers
      = std::is_void_v<
          typename call::
            answer> || std::is_same_v<typename call::answer, outcome>;
    static_assert(takes_input, "inbox: a handler takes its input and then, if "
                               "it likes, inbox::context&");
    static_assert(answers, "inbox: a handler answers inbox::outcome or void");
    if constexpr (takes_input && answers) {
      using input = std::tuple_element_t<0, typename call::parameters>;
      static_assert(detail::is_lendable<input>,
                    "inbox: a handler takes its input by value or by const "
                    "reference");
      if constexpr (detail::is_lendable<input>)
        return detail::adapted<F>{std::move(f)};
    }
  }
}

} // namespace inbox
