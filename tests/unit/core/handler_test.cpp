#define CAF_SUITE handler
#include "inbox/test/deliveries.hpp"

#include <stdexcept>

#include "inbox/handler_adapt.hpp"
#include "inbox/utf8.hpp"

using namespace inbox;
using plays = column_role;
using test::refusal;
using test::unbox;

namespace mailer {

struct mail {
  std::string to;
  int copies = 0;
};

void from_json(const nlohmann::json& from, mail& to) {
  from.at("to").get_to(to.to);
  from.at("copies").get_to(to.copies);
}

} // namespace mailer

namespace {

using mailer::mail;

handled run(const handler& call, value payload) {
  const auto of = test::jobs({{plays::id, column_type::integer},
                              {plays::attempt, column_type::integer},
                              {plays::payload, column_type::unknown}});
  const auto d = test::deliver(of, {5, 3, std::move(payload)});
  context ctx{d, std::make_shared<const stop_signal>()};
  return call(d, ctx);
}

outcome free_function(const mail& m, context& ctx) {
  return m.copies == 2 && ctx.attempt() == 3 ? drop() : retry();
}

} // namespace

CAF_TEST(a function takes its input from the JSON payload) {
  const auto json = R"({"to":"ann","copies":2})";
  CAF_CHECK(unbox(run(adapt(free_function), json)) == drop());
  CAF_CHECK(
    unbox(run(adapt([](mail m) { return retry_after(m.copies * 1s); }), json))
    == retry_after(2s));
  CAF_CHECK(unbox(run(adapt([](const nlohmann::json& j) {
                        return j.at("copies") == 2 ? drop() : ack();
                      }),
                      value::json(json)))
            == drop());
}

CAF_TEST(C-131 raw inputs take the octets as they are) {
  const std::string octets{"\x00\xff\xfe\n", 4};
  std::string seen;
  const auto payload = value::bytes(octets);
  run(adapt([&](std::string_view in) { seen = in; }), payload);
  CAF_CHECK_EQUAL(seen, octets);
  seen.clear();
  run(adapt([&](const std::string& in, context&) { seen = in; }), payload);
  CAF_CHECK_EQUAL(seen, octets);
  std::size_t size = 0;
  run(adapt([&](std::span<const std::byte> in) { size = in.size(); }), payload);
  CAF_CHECK_EQUAL(size, 4u);
}

CAF_TEST(a row is taken as it is) {
  std::int64_t id = 0;
  const auto call = adapt(
    [&](const row& r) { id = r.at(*r.find("id")).as_integer().value_or(0); });
  CAF_CHECK(unbox(run(call, "x")) == ack());
  CAF_CHECK_EQUAL(id, 5);
}

CAF_TEST(a handler that cannot be copied will do) {
  const auto call = adapt([owned = std::make_unique<int>(1)](std::string_view) {
    return *owned == 1 ? drop() : ack();
  });
  CAF_CHECK(unbox(run(call, "x")) == drop());
}

CAF_TEST(an input that does not decode is told from a handler that fails) {
  bool called = false;
  const auto call = adapt([&](const mail&) { called = true; });
  for (const auto* text : {"", "{", "{\"to\":\"ann\"}", "[1]", "\xff"}) {
    const auto why = refusal(run(call, text));
    CAF_CHECK(why.code() == errc::undecodable);
    CAF_CHECK(is_utf8(why.message()));
  }
  CAF_CHECK(!called);
}

CAF_TEST(X-6 an exception is a failure of the handler) {
  const auto why = refusal(run(adapt([](std::string_view) -> outcome {
                                 throw std::runtime_error{"no route"};
                               }),
                               "x"));
  CAF_CHECK(why.code() == errc::handler_failed);
  CAF_CHECK(why.message().find("no route") != std::string::npos);
  const auto odd = refusal(run(adapt([](std::string_view) { throw 3; }), "x"));
  CAF_CHECK(odd.code() == errc::handler_failed);
}

CAF_TEST(B31 the text of an exception is made printable and cut off) {
  const auto why = refusal(run(adapt([](std::string_view) {
                                 throw std::runtime_error{
                                   std::string(1 << 20, '\xfe')};
                               }),
                               "x"));
  CAF_CHECK(is_utf8(why.message()));
  CAF_CHECK_LESS(why.message().size(), 1100u);
}

CAF_TEST(the first reason to stop stays) {
  stop_signal signal;
  const auto token = signal.token();
  CAF_CHECK(!token.stop_requested());
  signal.request(stop_reason::lease_lost);
  signal.request(stop_reason::draining);
  CAF_CHECK(token.stop_requested());
  CAF_CHECK(signal.why() == stop_reason::lease_lost);
}
