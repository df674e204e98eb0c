#pragma once

#include <ostream>
#include <string>

#include "inbox/dialect.hpp"
#include "inbox/test/samples.hpp"
#include "inbox/test/unit.hpp"

namespace inbox::test {

/// The meanings of a statement's placeholders, separated by commas.
inline std::string meanings(const statement& s) {
  std::string names;
  for (const auto& p : s.params) {
    names += names.empty() ? "" : ", ";
    names += to_string(p.what);
    if (p.what == param::meaning::value)
      names += " " + std::to_string(p.column);
  }
  return names;
}

/// One line of a table of statements: what is built and what has to come out.
struct written {
  const char* why;
  subscription of;
  event what;
  const char* text; ///< Statements of one event are separated by "; ".
  const char* binds;
};

/// Checks the statements of one event, or the smallest claim, as a whole.
inline void check(const dialect& speaks, const written& expected) {
  CAF_MESSAGE(expected.why);
  const auto built = unbox(speaks.build(expected.of));
  std::string text;
  std::string binds;
  const auto add = [&](const statement& s) {
    text += (text.empty() ? "" : "; ") + s.text;
    binds += (binds.empty() ? "" : "; ") + meanings(s);
  };
  if (expected.what == event::claim)
    add(built->claim(1).text);
  for (const auto& s : built->at(expected.what))
    add(s);
  CAF_CHECK_EQUAL(text, expected.text);
  CAF_CHECK_EQUAL(binds, expected.binds);
}

} // namespace inbox::test
