#define CAF_SUITE postgres_wire
#include "inbox/test/unit.hpp"

#include "inbox/postgres/address.hpp"
#include "inbox/postgres/bind.hpp"
#include "inbox/postgres/errors.hpp"
#include "inbox/postgres/server.hpp"
#include "inbox/postgres/wire.hpp"

#include <sys/mman.h>

using namespace inbox;
using namespace inbox::postgres;
using test::refusal;
using test::unbox;

namespace {

std::string hex(std::string_view octets) {
  return value_view::bytes(octets).to_display();
}

std::string binary(const value& v, Oid type) {
  std::string out;
  return append_binary(out, v, type) ? hex(out) : "none";
}

shared_rows read(std::string_view octets, Oid type, bool is_binary) {
  row_set::builder out{{"c"}};
  unbox(add_cell(out, octets, type, is_binary));
  return std::move(out).finish();
}

time_point at(std::string_view text) {
  return parse_time(text).value();
}

} // namespace

CAF_TEST(values have the binary form the server sends and takes) {
  const struct {
    value v;
    Oid type;
    std::string octets;
  } cases[] = {
    {1, oid::int2, "0001"},
    {-2, oid::int4, "fffffffe"},
    {258, oid::int8, "0000000000000102"},
    {std::int64_t{4294967295}, oid::object_id, "ffffffff"},
    {40000, oid::int2, "none"},
    {-1, oid::object_id, "none"},
    {1, oid::float8, "3ff0000000000000"},
    {1.5, oid::float4, "3fc00000"},
    {true, oid::boolean, "01"},
    {true, oid::int4, "00000001"},
    {"ab", oid::text, "6162"},
    {"ab", oid::bytea, "6162"},
    {value::json("{}"), oid::jsonb, "017b7d"},
    {value::bytes(std::string{"\0\xff", 2}), oid::bytea, "00ff"},
    {at("2000-01-01T00:00:01Z"), oid::timestamptz, "00000000000f4240"},
    {at("1999-12-31T23:59:59Z"), oid::date, "ffffffff"},
    {time_point::max(), oid::timestamptz, "7fffffffffffffff"},
    {time_point::min(), oid::timestamp, "8000000000000000"},
    {time_point{}, oid::int8, "none"},
    {"3f", oid::uuid, "none"},
  };
  for (const auto& c : cases)
    CAF_CHECK_EQUAL(binary(c.v, c.type), c.octets);
}

CAF_TEST(a value reads back from its binary form) {
  const value values[] = {1,    -70000, at("2026-02-03T04:05:06.789012Z"), 2.5,
                          true, "text", value::bytes(std::string(3, '\0'))};
  const Oid types[] = {oid::int2,    oid::int8, oid::timestamptz, oid::float8,
                       oid::boolean, oid::text, oid::bytea};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    std::string octets;
    CAF_REQUIRE(append_binary(octets, values[i], types[i]));
    CAF_CHECK(read(octets, types[i], true)->at(0, 0) == values[i].view());
  }
}

CAF_TEST(a binary numeric reads as its exact decimal text) {
  const struct {
    std::string octets;
    std::string_view text;
  } cases[] = {
    // count, weight, sign, scale, digits of base 10000
    {std::string{"\0\0\0\0\0\0\0\0", 8}, "0"},
    {std::string{"\0\1\0\0\0\0\0\0\0\7", 10}, "7"},
    {std::string{"\0\1\0\1\0\0\0\0\0\1", 10}, "10000"},
    {std::string{"\0\1\xff\xff\x40\0\0\2\x13\x88", 10}, "-0.50"},
    {std::string{"\0\1\xff\xfe\0\0\0\6\0\x64", 10}, "0.000001"},
    {std::string{"\0\2\0\0\0\0\0\3\0\1\x04\xd2", 12}, "1.123"},
    {std::string{"\0\0\0\0\xc0\0\0\0", 8}, "NaN"},
  };
  for (const auto& c : cases) {
    const auto rows = read(c.octets, oid::numeric, true);
    CAF_CHECK(rows->at(0, 0).as_text() == c.text);
  }
}

CAF_TEST(text cells read by their type) {
  CAF_CHECK(read("t", oid::boolean, false)->at(0, 0) == value{true}.view());
  CAF_CHECK(read("-5", oid::int8, false)->at(0, 0) == value{-5}.view());
  CAF_CHECK_EQUAL(read("\\x00ff", oid::bytea, false)->at(0, 0).to_display(),
                  "00ff");
  CAF_CHECK(read("2026-02-03 04:05:06.5+00", oid::timestamptz, false)->at(0, 0)
            == value{at("2026-02-03T04:05:06.5Z")}.view());
  CAF_CHECK(read("-infinity", oid::timestamp, false)->at(0, 0)
            == value{time_point::min()}.view());
  CAF_CHECK(
    read("0044-03-15 00:00:00+00 BC", oid::timestamptz, false)->at(0, 0).kind()
    == value_kind::text);
  CAF_CHECK(read("anything", 99999, false)->at(0, 0).kind()
            == value_kind::text);
}

CAF_TEST(octets that are no value of their type are refused) {
  const struct {
    std::string octets;
    Oid type;
    bool is_binary;
  } cases[] = {
    {"abc", oid::int4, true},
    {"", oid::timestamptz, true},
    {"short", oid::uuid, true},
    {std::string{"\0\5\0\0", 4}, oid::numeric, true},
    {"\x02{}", oid::jsonb, true},
    {"12a", oid::int8, false},
    {"\\x0", oid::bytea, false},
    {"\\xzz", oid::bytea, false},
  };
  for (const auto& c : cases) {
    row_set::builder out{{"c"}};
    CAF_CHECK_EQUAL(
      refusal(add_cell(out, c.octets, c.type, c.is_binary)).code(),
      errc::wrong_type);
  }
}

CAF_TEST(values larger than a message takes are refused before they are sent) {
  // Address space alone; a refusal reads none of it.
  constexpr std::size_t size = 1 << 30;
  void* none = ::mmap(nullptr, size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CAF_REQUIRE(none != MAP_FAILED);
  const std::string_view huge{static_cast<const char*>(none), size};
  for (const auto cut : {0u, 1000u}) {
    arguments all;
    unbox(all.add(value_view::of(std::int64_t{1}), oid::int8));
    const auto why = refusal(
      all.add(value_view::bytes(huge.substr(cut)), oid::bytea));
    CAF_CHECK_EQUAL(why.code(), errc::too_large);
    CAF_CHECK(why.message().find(std::to_string(size - cut))
              != std::string::npos);
    CAF_CHECK(why.message().find("1 GB") != std::string::npos);
  }
  ::munmap(none, size);
}

CAF_TEST(many ids travel as one array) {
  const std::vector<value> numbers{1, 2};
  std::vector<value_view> ids(numbers.begin(), numbers.end());
  arguments with;
  unbox(with.add_array(ids, 1007)); // int4[]
  unbox(with.add_array(ids, 1231)); // numeric[], which has no binary form here
  unbox(with.add_array({}, 1016));
  const std::vector<value> texts{"a\"b", "c\\d"};
  ids.assign(texts.begin(), texts.end());
  unbox(with.add_array(ids, 99999)); // an array of the service's own type
  const auto seen = with.seen();
  CAF_CHECK_EQUAL(
    hex({seen.values[0], static_cast<std::size_t>(seen.lengths[0])}),
    "00000001000000000000001700000002000000010000000400000001"
    "0000000400000002");
  CAF_CHECK_EQUAL(seen.formats[0], 1);
  CAF_CHECK_EQUAL(std::string{seen.values[1]}, "{\"1\",\"2\"}");
  CAF_CHECK_EQUAL(seen.formats[1], 0);
  CAF_CHECK_EQUAL(seen.lengths[2], 12);
  CAF_CHECK_EQUAL(std::string{seen.values[3]}, R"({"a\"b","c\\d"})");
}

CAF_TEST(SQLSTATEs have their codes) {
  const std::pair<const char*, errc> cases[] = {
    {"23505", errc::constraint},
    {"40001", errc::conflict},
    {"40P01", errc::conflict},
    {"25006", errc::read_only},
    {"53100", errc::full},
    {"53300", errc::connect},
    {"57P01", errc::connection_lost},
    {"57P02", errc::connection_lost},
    {"57P03", errc::connection_lost},
    {"08006", errc::connection_lost},
    {"42P01", errc::schema},
    {"42703", errc::schema},
    {"42804", errc::schema},
    {"42883", errc::schema},
    {"28P01", errc::login_refused},
    {"28000", errc::login_refused},
    {"3D000", errc::login_refused},
    {"55P03", errc::busy},
    {"57014", errc::timed_out},
    {"22012", errc::statement},
    {"XX000", errc::statement},
    {"", errc::statement},
  };
  for (const auto& [state, code] : cases)
    CAF_CHECK_EQUAL(classify(state), code);
}

CAF_TEST(a refused login keeps its SQLSTATE and loses its password) {
  const std::vector<std::string> secrets{"s3cret"};
  const auto why = login_failure(
    "connection to server at \"db\" failed: FATAL:  28P01: password "
    "authentication failed for user \"s3cret\"\nLOCATION:  auth_failed, "
    "auth.c:338\n",
    false, secrets);
  CAF_CHECK_EQUAL(why.code(), errc::login_refused);
  CAF_CHECK_EQUAL(why.native(), "28P01");
  CAF_CHECK_EQUAL(why.message(),
                  "connection to server at \"db\" failed: FATAL:  password "
                  "authentication failed for user \"***\"; check user, "
                  "password and database in the URL");
  const auto full = login_failure("FATAL:  53300: too many clients\n", false,
                                  secrets);
  CAF_CHECK_EQUAL(full.code(), errc::connect);
  CAF_CHECK(full.message().find("max_connections") != std::string::npos);
  CAF_CHECK_EQUAL(login_failure("no password supplied", true, {}).code(),
                  errc::login_refused);
  CAF_CHECK_EQUAL(login_failure("Connection refused", false, {}).code(),
                  errc::connect);
}

CAF_TEST(old servers and other products are named with what is needed) {
  CAF_CHECK_EQUAL(
    unbox(check_server(150020, "15.20 (Debian 15.20-1)", "PostgreSQL 15.20"))
      .version,
    "15.20");
  auto why = refusal(check_server(90424, "9.4.24", "PostgreSQL 9.4.24"));
  CAF_CHECK_EQUAL(why.code(), errc::server_too_old);
  CAF_CHECK(why.message().find("9.4.24") != std::string::npos);
  CAF_CHECK(why.message().find("9.5") != std::string::npos);
  why = refusal(check_server(130000, "13.0.0", "CockroachDB CCL v22.1"));
  CAF_CHECK_EQUAL(why.code(), errc::server_too_old);
  CAF_CHECK(why.message().find("CockroachDB") != std::string::npos);
  CAF_CHECK(check_server(90500, "9.5.0", "PostgreSQL 9.5.0").has_value());
}

CAF_TEST(a URL is described without user and password - C-117) {
  const struct {
    const char* url;
    const char* description;
  } cases[] = {
    {"postgres://me:pw@db:5433/x", "postgres at db:5433"},
    {"postgresql://db/x?user=me&password=pw", "postgres at db:5432"},
    {"postgres://me@/x?host=/var/run", "postgres at a local socket"},
    {"postgres:///x", "postgres at a local socket"},
    {"postgres://me:pw@a:1,b:2/x", "postgres at a:1,b:2"},
  };
  for (const auto& c : cases) {
    const auto where = unbox(read_address(c.url));
    CAF_CHECK_EQUAL(where.description, c.description);
  }
  CAF_CHECK(unbox(read_address("postgres://a:1,b:2/x")).has_several_hosts);
  CAF_CHECK(!unbox(read_address("postgres://a:1/x")).has_several_hosts);
}

CAF_TEST(a URL that does not read is refused without its password) {
  CAF_CHECK_EQUAL(refusal(read_address("mysql://u:pw@db/x")).code(),
                  errc::unknown_database);
  for (const auto* url :
       {"postgres://me:pw%zz@db/x", "postgres://me:pw@db/x?no_such_setting=pw",
        "postgres://me:pw@[db/x", "postgres://me:pw/x@db/x",
        "postgres://me:x@pw@db/x", "postgres://me:pw"}) {
    const auto why = refusal(read_address(url));
    CAF_MESSAGE(why.to_string());
    CAF_CHECK_EQUAL(why.code(), errc::invalid_setting);
    CAF_CHECK(why.to_string().find("pw") == std::string::npos);
  }
}
