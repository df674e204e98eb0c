#define CAF_SUITE delivery
#include "inbox/test/deliveries.hpp"

#include <limits>

#include "inbox/utf8.hpp"

using namespace inbox;
using role = column_role;
using test::deliver;
using test::refusal;
using test::unbox;

namespace {

/// Every role a lease table can have here, of types nobody declared.
shared_statements full(column_type payload = column_type::unknown) {
  return test::jobs({{role::id, column_type::unknown},
                     {role::group, column_type::unknown},
                     {role::partition_key, column_type::unknown},
                     {role::retry_after, column_type::unknown},
                     {role::attempt, column_type::unknown},
                     {role::locked_until, column_type::unknown},
                     {role::headers, column_type::unknown},
                     {role::payload, payload}});
}

/// A row that reads, but for the value of one column.
delivery row_with(std::size_t column, value v,
                  column_type payload = column_type::unknown) {
  std::vector<value> values{7, "emails", "k",  time_point{1s},
                            2, value{},  "{}", value::bytes(std::string{"x"})};
  values[column] = std::move(v);
  return deliver(full(payload), values, time_point{30s});
}

errc fault_of(const delivery& d) {
  CAF_REQUIRE(d.fault().has_value());
  return d.fault()->code();
}

} // namespace

CAF_TEST(C-124 the attempt is the one from before the claim) {
  const auto d = row_with(0, 7);
  CAF_CHECK(!d.fault());
  CAF_CHECK(d.attempt() == 2u);
  CAF_CHECK(d.held() == (token{time_point{30s}, 3}));
  CAF_CHECK(d.id() == value{7}.view());
  CAF_CHECK(d.group() == value{"emails"}.view());
  CAF_CHECK(d.partition_key() == value{"k"}.view());
}

CAF_TEST(C-124 a table without the column reports no attempt) {
  const auto of = test::jobs({{role::id, column_type::integer}});
  const auto d = deliver(of, {7});
  CAF_CHECK(!d.attempt());
  CAF_CHECK(!d.held());
  CAF_CHECK(d.group().is_null());
  CAF_CHECK(d.payload().empty());
  CAF_CHECK(unbox(d.headers()).empty());
}

CAF_TEST(C-131 a payload keeps every octet) {
  const std::string octets{"\x00\xff\xfe\n", 4};
  CAF_CHECK(row_with(7, value::bytes(octets)).payload() == octets);
  CAF_CHECK(row_with(7, value::bytes(std::string{})).payload() == "");
  CAF_CHECK(row_with(7, value{}).payload() == "");
  CAF_CHECK(!row_with(7, value{}).fault());
}

CAF_TEST(C-141 a row that does not read still reports its attempt) {
  const auto d = row_with(7, 12);
  CAF_CHECK(fault_of(d) == errc::wrong_type);
  CAF_CHECK(d.attempt() == 2u);
  CAF_CHECK(d.held() == (token{time_point{30s}, 3}));
  CAF_CHECK_EQUAL(d.fault()->subscription(), "emails");
  CAF_CHECK_EQUAL(d.fault()->table(), "jobs");
}

CAF_TEST(C-147 wrong kinds are named by column and a sample) {
  CAF_CHECK(fault_of(row_with(1, true)) == errc::wrong_type);
  CAF_CHECK(fault_of(row_with(2, 1.5)) == errc::wrong_type);
  CAF_CHECK(fault_of(row_with(6, 3)) == errc::wrong_type);
  const auto why = row_with(3, "next tuesday").fault()->message();
  CAF_CHECK(why.find("retry_after") != std::string::npos);
  CAF_CHECK(why.find("next tuesday") != std::string::npos);
  CAF_CHECK(!row_with(2, value{}).fault());
}

CAF_TEST(C-147 values are held to the types a description declares) {
  CAF_CHECK(fault_of(row_with(7, "text", column_type::bytes))
            == errc::wrong_type);
  CAF_CHECK(
    !row_with(7, value::bytes(std::string{"b"}), column_type::text).fault());
  CAF_CHECK(!row_with(7, value::json("{}"), column_type::json).fault());
  const auto keyed = test::jobs({{role::id, column_type::integer},
                                 {role::partition_key, column_type::text}});
  CAF_CHECK(fault_of(deliver(keyed, {1, value::bytes(std::string{"k"})}))
            == errc::wrong_type);
}

CAF_TEST(C-147 an attempt must be a whole number and not negative) {
  for (const auto& wrong : {value{"2"}, value{-1}, value{2.0}}) {
    const auto d = row_with(4, wrong);
    CAF_CHECK(fault_of(d) == errc::wrong_type);
    CAF_CHECK(!d.attempt());
  }
  CAF_CHECK(fault_of(row_with(4, value{})) == errc::null_in_role);
  const auto most = row_with(4, std::numeric_limits<std::int64_t>::max());
  CAF_CHECK(!most.held()->attempt);
}

CAF_TEST(C-147 of payload and attempt both wrong the payload is named) {
  const auto d = deliver(
    full(), {7, "emails", "k", time_point{1s}, "two", value{}, "{}", 12});
  CAF_CHECK(d.fault()->message().find("payload") != std::string::npos);
  CAF_CHECK(!d.attempt());
}

CAF_TEST(a row whose id does not read is no delivery) {
  const auto refused = [](value id) {
    return refusal(delivery::from_row(
      full(),
      test::claimed(full(), {std::move(id), "emails", "k", time_point{1s}, 2,
                             value{}, "{}", "x"}),
      0, 1));
  };
  CAF_CHECK(refused(value{}).code() == errc::null_in_role);
  CAF_CHECK(refused(1.5).code() == errc::wrong_type);
  CAF_CHECK(refused(1.5).message().find("id") != std::string::npos);
}

CAF_TEST(C-148 headers are read when they are asked for) {
  const auto good = unbox(row_with(6, R"({"a":"1"})").headers());
  CAF_CHECK_EQUAL(good.at("a"), "1");
  CAF_CHECK(unbox(row_with(6, value{}).headers()).empty());
  for (const auto* text : {"[]", "{\"a\":1}", "{"}) {
    const auto d = row_with(6, text);
    CAF_CHECK(!d.fault());
    const auto why = refusal(d.headers());
    CAF_CHECK(why.code() == errc::undecodable);
    CAF_CHECK(why.message().find("column headers") != std::string::npos);
  }
}

CAF_TEST(B31 a fault names octets that are no text without passing them on) {
  const auto why = row_with(3, std::string(500, '\xff')).fault()->message();
  CAF_CHECK(is_utf8(why));
  CAF_CHECK_LESS(why.size(), 250u);
}
