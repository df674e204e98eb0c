#include "inbox/postgres/enqueue.hpp"

#include <algorithm>
#include <map>

#include <pqxx/except>
#include <pqxx/prepared_statement>
#include <pqxx/result>

#include "inbox/insertion.hpp"
#include "inbox/postgres/dialect.hpp"
#include "inbox/postgres/errors.hpp"
#include "inbox/postgres/wire.hpp"
#include "inbox/sql/writer.hpp"

namespace inbox::postgres {

namespace {

/// The types of a table's columns by name. Asked of the catalogue, since
/// libpqxx tells no placeholder's type.
constexpr const char* types_text
  = "SELECT attname, atttypid FROM pg_catalog.pg_attribute WHERE attrelid = "
    "$1::pg_catalog.regclass AND attnum > 0 AND NOT attisdropped";

/// What a type is made of when it is a domain, and itself otherwise.
constexpr const char* base_text
  = "WITH RECURSIVE base(type) AS (SELECT $1::pg_catalog.oid UNION ALL SELECT "
    "typbasetype FROM base JOIN pg_catalog.pg_type ON pg_type.oid = type WHERE "
    "typbasetype <> 0) SELECT type FROM base JOIN pg_catalog.pg_type ON "
    "pg_type.oid = type WHERE typbasetype = 0";

/// The server's own types have smaller numbers, and none of them that a table
/// is likely to have is a domain.
constexpr Oid first_made_by_users = 16'384;

std::string to_hex(std::string_view octets) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text{"\\x"};
  text.reserve(2 + 2 * octets.size());
  for (const unsigned char c : octets) {
    text += digits[c >> 4];
    text += digits[c & 15];
  }
  return text;
}

/// A value as text that means the same as its binary form would; nothing when
/// it does not fit.
std::optional<std::string> to_text(const value_view& v, Oid type) {
  const auto octets = v.as_octets();
  if (octets && type == oid::bytea)
    return to_hex(*octets);
  if (v.kind() == value_kind::bytes)
    return oid::is_text(type) || type == oid::json || type == oid::jsonb
             ? to_input_text(value_view::text(*octets), type)
             : std::nullopt;
  if (v.as_integer() && oid::is_integer(type))
    return v.to_display(); // the server refuses what is too large
  if (const auto t = v.as_time(); t && oid::is_instant(type))
    return *t == time_point::max()   ? "infinity"
           : *t == time_point::min() ? "-infinity"
                                     : to_rfc3339(*t);
  return to_input_text(v, type);
}

tl::unexpected<failure> misfit(const std::string& column, const value_view& v,
                               Oid type) {
  return refuse(errc::wrong_type,
                "a " + std::string{to_string(v.kind())} + " (" + v.to_display()
                  + ") does not fit the column \"" + column
                  + "\" of the server's type number " + std::to_string(type));
}

/// What the server says, without its detail, which may quote a row.
failure failure_of(const pqxx::sql_error& e) {
  std::string_view text{e.what()};
  text = text.substr(0, text.find('\n'));
  if (const auto at = text.find(":  "); at != std::string_view::npos)
    text.remove_prefix(at + 3);
  return failure{classify(e.sqlstate()), std::string{text}}.with_native(
    e.sqlstate());
}

/// libpqxx's exceptions as values.
template <class F>
auto guarded(F call) -> decltype(call()) {
  try {
    return call();
  } catch (const pqxx::broken_connection& e) {
    return refuse(errc::connection_lost, scrub(e.what(), {}));
  } catch (const pqxx::sql_error& e) {
    return tl::make_unexpected(failure_of(e));
  } catch (const std::exception& e) {
    return refuse(errc::statement, scrub(e.what(), {}));
  }
}

/// Writes inserts with a transaction of libpqxx's. Throws what that throws.
class row_writer {
public:
  row_writer(pqxx::transaction_base& in, const table& to) : in_{in}, to_{to} {
    const dialect speaks;
    const auto name = sql::writer{speaks}.name(to.name()).finish().text;
    for (const auto& row : in.exec_params(types_text, name)) {
      const auto type = row[1].as<Oid>();
      types_[row[0].as<std::string>()]
        = type < first_made_by_users
            ? type
            : in.exec_params1(base_text, type)[0].as<Oid>();
    }
  }

  expected<void> write(const insertion& what) {
    std::vector<std::optional<std::string>> texts;
    texts.reserve(what.values.size());
    const auto& params = what.insert->params;
    for (std::size_t i = 0; i < params.size(); ++i) {
      const auto& column = to_.columns()[params[i].column].name;
      const auto v = what.values[i].view();
      texts.push_back(to_text(v, types_[column]));
      if (!texts.back() && !v.is_null())
        return misfit(column, v, types_[column]);
    }
    return send(what, texts);
  }

  std::vector<value> ids() && { return std::move(ids_); }

private:
  expected<void> send(const insertion& what,
                      const std::vector<std::optional<std::string>>& texts) {
    std::vector<const char*> seen;
    for (const auto& t : texts)
      seen.push_back(t ? t->c_str() : nullptr);
    const auto answer = in_.exec_params(
      what.insert->text, pqxx::prepare::make_dynamic_params(seen));
    row_set::builder out{{"id"}};
    for (const auto& row : answer)
      if (auto added = add_cell(out, {row[0].c_str(), row[0].size()},
                                answer.column_type(0), false);
          !added)
        return added;
    return ids_of(*std::move(out).finish(), what.rows)
      .map([this](std::vector<value> ids) {
        std::ranges::move(ids, std::back_inserter(ids_));
      });
  }

  pqxx::transaction_base& in_;
  const table& to_;
  std::map<std::string, Oid, std::less<>> types_;
  std::vector<value> ids_;
};

expected<std::vector<value>> write(pqxx::transaction_base& in, const table& to,
                                   const new_rows& rows) {
  return guarded([&]() -> expected<std::vector<value>> {
    row_writer writes{in, to};
    const dialect speaks;
    insertions gathered{speaks, to, [&writes](const insertion& made) {
                          return writes.write(made);
                        }};
    return gathered.add(rows).map(
      [&writes] { return std::move(writes).ids(); });
  });
}

// By `exec_params`, since libpqxx aborts a transaction whose `exec` fails.
expected<void> run(pqxx::transaction_base& in, const char* text) {
  return guarded([&]() -> expected<void> {
    in.exec_params(text);
    return {};
  });
}

expected<std::vector<value>> write_all(pqxx::transaction_base& in,
                                       const table& to, const new_rows& rows) {
  if (auto opened = run(in, "SAVEPOINT inbox_enqueue"); !opened)
    return tl::make_unexpected(std::move(opened.error()));
  auto ids = write(in, to, rows);
  if (ids)
    return run(in, "RELEASE inbox_enqueue").map([&ids] {
      return std::move(*ids);
    });
  // When this fails the session is gone, and the rows with it.
  if (run(in, "ROLLBACK TO inbox_enqueue"))
    run(in, "RELEASE inbox_enqueue");
  return ids;
}

failure on_table(failure why, const table& to) {
  return std::move(why).on_table(to.name().qualified()).at("insert");
}

} // namespace

namespace detail {

expected<value> enqueue(pqxx::transaction_base& in, const table& to,
                        const new_rows& row) {
  return write(in, to, row)
    .map([](std::vector<value> ids) { return std::move(ids.front()); })
    .map_error([&to](failure why) { return on_table(std::move(why), to); });
}

expected<std::vector<value>> enqueue_many(pqxx::transaction_base& in,
                                          const table& to,
                                          const new_rows& rows) {
  if (rows.count == 0)
    return std::vector<value>{};
  return write_all(in, to, rows).map_error([&to](failure why) {
    return on_table(std::move(why), to);
  });
}

} // namespace detail

expected<value> enqueue(pqxx::transaction_base& in, const subscription& queue,
                        const new_row& row, time_point now) {
  return detail::enqueue(in, queue.description, rows_of(queue, {&row, 1}, now))
    .map_error([&queue](failure why) {
      return std::move(why).in_subscription(queue.name);
    });
}

expected<std::vector<value>> enqueue_many(pqxx::transaction_base& in,
                                          const subscription& queue,
                                          std::span<const new_row> rows,
                                          time_point now) {
  return detail::enqueue_many(in, queue.description, rows_of(queue, rows, now))
    .map_error([&queue](failure why) {
      return std::move(why).in_subscription(queue.name);
    });
}

} // namespace inbox::postgres
