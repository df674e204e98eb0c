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

delivery row_of(value payload) {
  const auto of = test::jobs({{plays::id, column_type::integer},
                              {plays::attempt, column_type::integer},
                              {plays::payload, column_type::unknown}});
  return test::deliver(of, {5, 3, std::move(payload)});
}

handled run(const handler& call, value payload) {
  const auto d = row_of(std::move(payload));
  context ctx{d, std::make_shared<const stop_signal>()};
  return call(d, ctx);
}

std::vector<handled> run(const batch_handler& by,
                         const std::vector<std::string>& payloads) {
  std::vector<shared_delivery> rows;
  for (const auto& p : payloads)
    rows.push_back(std::make_shared<const delivery>(row_of(p)));
  return by.call(rows, std::make_shared<const stop_signal>());
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

CAF_TEST(a function of a batch gets the rows that decode and answers each) {
  std::vector<std::string> seen;
  const auto answers = run(adapt([&](batch<nlohmann::json>& rows) {
                             for (auto& item : rows) {
                               seen.push_back(item.value().at("to"));
                               CAF_CHECK_EQUAL(item.about().attempt(), 3u);
                             }
                             rows[1].retry_after(std::chrono::seconds{5});
                           }),
                           {R"({"to":"ann"})", "no JSON", R"({"to":"bob"})"});
  CAF_CHECK(seen == (std::vector<std::string>{"ann", "bob"}));
  CAF_REQUIRE_EQUAL(answers.size(), 3u);
  CAF_CHECK(unbox(answers[0]) == ack());
  CAF_CHECK(refusal(answers[1]).code() == errc::undecodable);
  CAF_CHECK(unbox(answers[2]) == retry_after(std::chrono::seconds{5}));
}

CAF_TEST(an exception fails the whole batch whatever was said before) {
  const auto answers = run(adapt([](batch<std::string_view>& rows) {
                             rows[0].drop();
                             throw std::runtime_error{"out of ink"};
                           }),
                           {"a", "b"});
  CAF_REQUIRE_EQUAL(answers.size(), 2u);
  for (const auto& one : answers)
    CAF_CHECK(refusal(one).code() == errc::handler_failed);
}

CAF_TEST(a batch of none that decode is not called) {
  int calls = 0;
  run(adapt([&](batch<nlohmann::json>&) { ++calls; }), {"no", "nor"});
  CAF_CHECK_EQUAL(calls, 0);
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
