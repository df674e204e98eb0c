#define CAF_SUITE read_row
#include "inbox/test/unit.hpp"

#include <algorithm>
#include <optional>

#include "inbox/describe.hpp"
#include "inbox/describe/json.hpp"

using namespace inbox;
using test::refusal;
using test::unbox;

namespace shop {

enum class state { open, closed };

struct address {
  std::string city;
};

void from_json(const nlohmann::json& from, address& to) {
  from.at("city").get_to(to.city);
}

void to_json(nlohmann::json& to, const address& from) {
  to = {{"city", from.city}};
}

struct order {
  std::int32_t id = 0;
  std::optional<std::uint8_t> attempt;
  std::string payload;
  std::vector<unsigned char> raw;
  bool paid = false;
  double price = 0;
  std::chrono::sys_seconds at{};
  state now = state::open;
  address to;
  nlohmann::json more;
  std::string later = "untouched";
};

} // namespace shop

template <>
struct inbox::column<shop::state> {
  static constexpr auto type = column_type::text;
  static expected<void> read(const value_view& from, shop::state& into) {
    const auto word = from.as_text();
    if (word != "open" && word != "closed")
      return refuse_value(from, "open or closed");
    into = word == "open" ? shop::state::open : shop::state::closed;
    return {};
  }
  static value write(shop::state from) {
    return from == shop::state::open ? "open" : "closed";
  }
};

template <>
struct inbox::column<shop::address> : inbox::json_column<shop::address> {};

namespace shop {

consteval auto inbox_table(std::type_identity<order>) {
  using namespace inbox::role;
  return inbox::describe<order, "orders">(
    id<&order::id>(), attempt<&order::attempt>(), payload<&order::payload>(),
    data<&order::raw>(), data<&order::paid>(), data<&order::price>(),
    data<&order::at>(), data<&order::now>(), data<&order::to, "address">(),
    data<&order::more>(), fetched<&order::later>());
}

} // namespace shop

namespace {

using cells = std::vector<std::pair<std::string, value>>;

row row_of(const cells& from) {
  std::vector<std::string> names;
  for (const auto& [name, v] : from)
    names.push_back(name);
  row_set::builder builder{names};
  for (const auto& [name, v] : from)
    builder.add(v);
  return {std::move(builder).finish(), 0};
}

cells good() {
  return {{"id", 7},
          {"attempt", 2},
          {"payload", "text"},
          {"raw", value::bytes(std::string{"\0\xff", 2})},
          {"paid", true},
          {"price", 1.5},
          {"at", time_point{1500ms}},
          {"now", "closed"},
          {"address", value::json(R"({"city":"Oslo"})")},
          {"more", value::json("[1,2]")}};
}

expected<shop::order> read_with(const std::string& name, value v) {
  auto from = good();
  for (auto& [column, held] : from)
    if (column == name)
      held = v;
  return read_row<shop::order>(row_of(from));
}

} // namespace

CAF_TEST(C-022 a row becomes a struct) {
  const auto o = unbox(read_row<shop::order>(row_of(good())));
  CAF_CHECK_EQUAL(o.id, 7);
  CAF_CHECK_EQUAL(*o.attempt, 2);
  CAF_CHECK_EQUAL(o.payload, "text");
  CAF_CHECK((o.raw == std::vector<unsigned char>{0, 0xff}));
  CAF_CHECK(o.paid);
  CAF_CHECK_EQUAL(o.price, 1.5);
  CAF_CHECK(o.at == std::chrono::sys_seconds{1s});
  CAF_CHECK(o.now == shop::state::closed);
  CAF_CHECK_EQUAL(o.to.city, "Oslo");
  CAF_CHECK_EQUAL(o.more.dump(), "[1,2]");
  CAF_CHECK_EQUAL(o.later, "untouched");
}

CAF_TEST(C-146 columns are found by name where their order is another) {
  auto from = good();
  std::reverse(from.begin(), from.end());
  const auto o = unbox(read_row<shop::order>(row_of(from)));
  CAF_CHECK_EQUAL(o.id, 7);
  CAF_CHECK_EQUAL(o.to.city, "Oslo");
}

CAF_TEST(what SQLite keeps in place of booleans and times and reals is read) {
  CAF_CHECK(unbox(read_with("paid", 1)).paid);
  CAF_CHECK(!unbox(read_with("paid", 0)).paid);
  CAF_CHECK_EQUAL(unbox(read_with("price", 3)).price, 3.0);
  CAF_CHECK(unbox(read_with("at", "1970-01-01 00:00:09")).at
            == std::chrono::sys_seconds{9s});
  CAF_CHECK(!unbox(read_with("attempt", {})).attempt);
}

CAF_TEST(C-140 C-147 a value that does not fit its member is refused by column) {
  const struct {
    const char* column;
    value held;
    errc code;
    const char* message;
  } cases[] = {
    {"id",
     {},
     errc::null_in_role,
     "the column \"id\" is NULL; make its member a std::optional"},
    {"id", std::int64_t{1} << 31, errc::wrong_type,
     "the column \"id\" does not fit its member: the value is integer "
     "(2147483648); the member takes an integer that fits the member"},
    {"attempt", -1, errc::wrong_type,
     "the column \"attempt\" does not fit its member: the value is integer "
     "(-1); the member takes an integer that fits the member"},
    {"attempt", "2", errc::wrong_type,
     "the column \"attempt\" does not fit its member: the value is text (2); "
     "the member takes an integer that fits the member"},
    {"payload", value::bytes(std::string{"x"}), errc::wrong_type,
     "the column \"payload\" does not fit its member: the value is bytes (78); "
     "the member takes text; for bytes use std::vector<std::byte>"},
    {"raw", "x", errc::wrong_type,
     "the column \"raw\" does not fit its member: the value is text (x); the "
     "member takes bytes"},
    {"paid", 2, errc::wrong_type,
     "the column \"paid\" does not fit its member: the value is integer (2); "
     "the member takes a boolean"},
    {"price", "1", errc::wrong_type,
     "the column \"price\" does not fit its member: the value is text (1); the "
     "member takes a number"},
    {"at", "soon", errc::wrong_type,
     "the column \"at\" does not fit its member: the value is text (soon); the "
     "member takes a time"},
    {"now", "ajar", errc::wrong_type,
     "the column \"now\" does not fit its member: the value is text (ajar); "
     "the member takes open or closed"},
    {"more", value::json("{"), errc::wrong_type,
     "the column \"more\" does not fit its member: the value is json ({); the "
     "member takes JSON, which this is not"},
  };
  for (const auto& c : cases) {
    const auto refused = refusal(read_with(c.column, c.held));
    CAF_CHECK_EQUAL(refused.message(), c.message);
    CAF_CHECK(refused.code() == c.code);
  }
  const auto misfit = refusal(read_with("address", value::json("{}")));
  CAF_CHECK(misfit.code() == errc::wrong_type);
  CAF_CHECK_EQUAL(misfit.message().rfind("the column \"address\" does not fit "
                                         "its member: ",
                                         0),
                  0u);
}

CAF_TEST(a column the statement did not read is named) {
  auto from = good();
  from.erase(from.begin() + 3);
  const auto refused = refusal(read_row<shop::order>(row_of(from)));
  CAF_CHECK(refused.code() == errc::schema);
  CAF_CHECK_EQUAL(refused.message(), "the row has no column \"raw\"; the "
                                     "statement has to read it");
}

CAF_TEST(what was read is written as it was) {
  auto o = unbox(read_row<shop::order>(row_of(good())));
  const auto values = unbox(insert_values(o));
  CAF_REQUIRE_EQUAL(values.size(), 11u);
  CAF_CHECK(values[7] == value{"closed"});
  CAF_CHECK(values[8] == value::json(R"({"city":"Oslo"})"));
  CAF_CHECK(values[6] == value{time_point{1s}});
  o.to.city = "\xff";
  CAF_CHECK(refusal(insert_values(o)).code() == errc::wrong_type);
}

CAF_TEST(a struct that is read again keeps its capacity) {
  auto o = unbox(read_row<shop::order>(row_of(good())));
  o.payload.reserve(100);
  const auto* kept = o.payload.data();
  unbox(read_row_into(row_of(good()), o));
  CAF_CHECK(o.payload.data() == kept);
}
