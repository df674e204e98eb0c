#define CAF_SUITE insert_text
#include "inbox/test/unit.hpp"

#include <tuple>
#include <utility>

#include "inbox/describe.hpp"
#include "inbox/postgres/dialect.hpp"
#include "inbox/sqlite/dialect.hpp"

using namespace inbox;
using test::unbox;

namespace shapes {

/// A table shape: one bit for each choice, two for the form.
template <unsigned Bits>
struct shape {};

constexpr unsigned has_schema = 1;
constexpr unsigned makes_id = 2;
constexpr unsigned has_roles = 4;
constexpr unsigned has_data = 8;
constexpr unsigned forms = 16; // row lock, FIFO, lease, advisory
constexpr unsigned all = 64;

template <unsigned Bits>
consteval auto id_part() {
  if constexpr (Bits & makes_id)
    return std::tuple{role::id<"job id">(role::generated)};
  else
    return std::tuple{role::id<"job id">()};
}

template <unsigned Bits>
consteval auto form_part() {
  if constexpr (Bits / forms == 0)
    return std::tuple{};
  else if constexpr (Bits / forms == 1)
    return std::tuple{role::group<"name">(role::fifo)};
  else if constexpr (Bits / forms == 2)
    return std::tuple{role::locked_until<"until">()};
  else
    return std::tuple{role::lock_key<"k-{job id}">()};
}

template <unsigned Bits>
consteval auto role_parts() {
  if constexpr (Bits & has_roles)
    return std::tuple{
      role::payload<"body">(),      role::headers<"meta">(),
      role::processed_at<"done">(), role::attempt<"n">(role::generated),
      role::retry_after<"due">(),   role::priority<"p">(),
      role::partition_key<"key">()};
  else
    return std::tuple{};
}

template <unsigned Bits>
consteval auto data_parts() {
  if constexpr (Bits & has_data)
    return std::tuple{role::data<"say \"hi\"">(), role::data<"back`tick">(),
                      role::fetched<"later">(), role::data<"Zeile ü">()};
  else
    return std::tuple{};
}

template <unsigned Bits>
consteval auto inbox_table(std::type_identity<shape<Bits>>) {
  constexpr auto described = []<class... Parts>(Parts... parts) {
    if constexpr (Bits & has_schema)
      return describe<shape<Bits>, "my app.jobs \"`">(parts...);
    else
      return describe<shape<Bits>, "jobs">(parts...);
  };
  return std::apply(described,
                    std::tuple_cat(data_parts<Bits>(), role_parts<Bits>(),
                                   form_part<Bits>(), id_part<Bits>()));
}

} // namespace shapes

namespace {

std::vector<std::uint16_t> written(const table& t) {
  std::vector<std::uint16_t> positions;
  for (std::size_t i = 0; i < t.columns().size(); ++i)
    if (!t.columns()[i].generated)
      positions.push_back(static_cast<std::uint16_t>(i));
  return positions;
}

template <unsigned Bits>
void compare() {
  using job = shapes::shape<Bits>;
  const auto t = unbox(to_table<job>());
  const auto columns = written(t);
  CAF_CHECK_EQUAL(std::string{(insert_sql<job, postgres_db>)},
                  unbox(postgres::dialect{}.insert(t, columns, 1)).text);
  CAF_CHECK_EQUAL(std::string{(insert_sql<job, sqlite_db>)},
                  unbox(sqlite::dialect{}.insert(t, columns, 1)).text);
}

template <std::size_t... Bits>
void compare_all(std::index_sequence<Bits...>) {
  (compare<Bits>(), ...);
}

} // namespace

CAF_TEST(C-094 the constant insert of every shape is the text of the dialect) {
  compare_all(std::make_index_sequence<shapes::all>{});
}

static_assert(
  insert_sql<
    shapes::shape<shapes::makes_id>,
    sqlite_db> == "INSERT INTO `jobs` DEFAULT VALUES RETURNING `job id`");
static_assert(insert_sql<shapes::shape<shapes::has_schema>, postgres_db>
              == R"(INSERT INTO "my app"."jobs ""`" ("job id") VALUES ($1) )"
                 R"(RETURNING "job id")");
