#pragma once

#include <exception>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "inbox/describe/column.hpp"

namespace inbox {

/// A JSON column as a C++ type nlohmann_json reads and writes:
///
///   template <>
///   struct inbox::column<mailer::address>
///     : inbox::json_column<mailer::address> {};
template <class T>
struct json_column {
  static constexpr auto type = column_type::json;

  static expected<void> read(const value_view& from, T& into) {
    const auto text = from.as_text();
    if (!text)
      return refuse_value(from, "JSON");
    const auto parsed = nlohmann::json::parse(*text, nullptr, false);
    if (parsed.is_discarded())
      return refuse_value(from, "JSON, which this is not");
    // A type's own from_json reports a misfit by throwing.
    try {
      parsed.get_to(into);
    } catch (const std::exception& misfit) {
      return refuse(errc::wrong_type, misfit.what());
    }
    return {};
  }

  static expected<value> write(const T& from) {
    try {
      return value::json(nlohmann::json(from).dump());
    } catch (const std::exception& misfit) {
      return refuse(errc::wrong_type, misfit.what());
    }
  }
};

/// Any JSON.
template <>
struct column<nlohmann::json> : json_column<nlohmann::json> {};

} // namespace inbox
