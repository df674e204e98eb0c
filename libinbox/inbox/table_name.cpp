#include "inbox/table_name.hpp"

#include <utility>

namespace inbox {

namespace {

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

std::string quoted(std::string_view text) {
  return "\"" + std::string{text} + "\"";
}

} // namespace

expected<table_name> table_name::make(std::string schema, std::string name) {
  if (name.empty())
    return refuse(errc::invalid_description,
                  "a table needs a name; the one given is empty");
  if (has_nul(name) || has_nul(schema))
    return refuse(errc::invalid_description,
                  "a table's name holds a NUL character; remove it");
  if (name.find('.') != std::string::npos)
    return refuse(errc::invalid_description,
                  "the table name " + quoted(name)
                    + " holds a dot; give the part before it as the schema");
  if (schema.find('.') != std::string::npos)
    return refuse(errc::invalid_description,
                  "the schema name " + quoted(schema)
                    + " holds a dot; a schema's name is one part");
  table_name made;
  made.schema_ = std::move(schema);
  made.name_ = std::move(name);
  return made;
}

expected<table_name> table_name::parse(std::string_view qualified) {
  const auto dot = qualified.find('.');
  if (dot == std::string_view::npos)
    return make({}, std::string{qualified});
  if (qualified.find('.', dot + 1) != std::string_view::npos)
    return refuse(errc::invalid_description,
                  quoted(qualified)
                    + " holds more than one dot; write "
                      "\"table\" or \"schema.table\"");
  if (dot == 0)
    return refuse(errc::invalid_description,
                  quoted(qualified)
                    + " has nothing before its dot; write "
                      "\"table\" or \"schema.table\"");
  return make(std::string{qualified.substr(0, dot)},
              std::string{qualified.substr(dot + 1)});
}

std::string table_name::qualified() const {
  return schema_.empty() ? name_ : schema_ + "." + name_;
}

} // namespace inbox
