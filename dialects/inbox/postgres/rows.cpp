#include "inbox/postgres/rows.hpp"

#include <cstdlib>

namespace inbox::postgres {

namespace {

std::string_view cell(const PGresult* result, int row, int column) {
  return {PQgetvalue(result, row, column),
          static_cast<std::size_t>(PQgetlength(result, row, column))};
}

std::size_t octets_of(const PGresult* result) {
  std::size_t octets = 0;
  for (int r = 0; r < PQntuples(result); ++r)
    for (int c = 0; c < PQnfields(result); ++c)
      octets += static_cast<std::size_t>(PQgetlength(result, r, c));
  return octets;
}

} // namespace

expected<row_set::builder> read_rows(const PGresult* result) {
  const int rows = PQntuples(result);
  const int columns = PQnfields(result);
  std::vector<std::string> names;
  for (int c = 0; c < columns; ++c)
    names.emplace_back(PQfname(result, c));
  row_set::builder out{std::move(names)};
  out.reserve(static_cast<std::size_t>(rows), octets_of(result));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      if (PQgetisnull(result, r, c) != 0) {
        out.add({});
        continue;
      }
      if (auto ok = add_cell(out, cell(result, r, c), PQftype(result, c),
                             PQfformat(result, c) == 1);
          !ok)
        return tl::make_unexpected(ok.error());
    }
  return out;
}

std::uint64_t affected_by(const PGresult* result) noexcept {
  // PQcmdTuples writes into the result, hence its missing const.
  return std::strtoull(PQcmdTuples(const_cast<PGresult*>(result)), nullptr, 10);
}

} // namespace inbox::postgres
