#include "inbox/describe/describe.hpp"

namespace inbox::detail {

namespace {

/// The template with members' names replaced by their columns' (C-016).
std::string with_columns(std::span<const fact> all, std::string_view pattern) {
  std::string out;
  while (!pattern.empty()) {
    const auto step = next_key_part(pattern);
    const auto named = named_in_key(all, step.text);
    if (step.kind == key_part::kind_type::column && !named.empty())
      out.append("{").append(named).append("}");
    else
      out += step.text;
  }
  return out;
}

} // namespace

table_spec to_spec(std::string_view schema, std::string_view name,
                   std::span<const fact> all,
                   std::optional<std::string_view> lock_key, clock_kind clock,
                   opening opens) {
  table_spec spec;
  spec.schema = schema;
  spec.name = name;
  spec.clock = clock;
  spec.opens = opens;
  for (const auto& f : all) {
    spec.columns.push_back({std::string{f.name}, f.role, f.generated, f.type});
    spec.fifo = spec.fifo || f.fifo;
  }
  if (lock_key)
    spec.lock_key = with_columns(all, *lock_key);
  return spec;
}

} // namespace inbox::detail
