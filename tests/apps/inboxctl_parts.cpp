#define CAF_SUITE inboxctl_parts
#include "inbox/test/unit.hpp"

#include "command_line.hpp"
#include "exit_code.hpp"
#include "json_text.hpp"
#include "octets.hpp"
#include "program/answer.hpp"
#include "program/batch_answer.hpp"
#include "program/find.hpp"
#include "program/lines.hpp"
#include "text_table.hpp"

using namespace inboxctl;
using namespace std::chrono_literals;
using inbox::test::refusal;
using inbox::test::unbox;

namespace {

program_answer ended(int code, std::string said = "") {
  return read_answer({code, 0, std::move(said)});
}

std::string json_of(const inbox::value_view& v) {
  inbox::row_set::builder rows{{"c"}};
  rows.add(v);
  return row_json({std::move(rows).finish(), 0});
}

} // namespace

CAF_TEST(an exit code is an outcome) {
  CAF_CHECK(*ended(0).means == inbox::ack());
  CAF_CHECK(*ended(75).means == inbox::retry());
  CAF_CHECK(*ended(65).means == inbox::drop());
  const auto failed = refusal(ended(3).means);
  CAF_CHECK_EQUAL(failed.message(), "the program ended with exit code 3");
  const auto killed = refusal(read_answer({std::nullopt, 9, ""}).means);
  CAF_CHECK_EQUAL(killed.message(), "the program ended with signal 9 (Killed)");
}

CAF_TEST(a line on descriptor 3 delays a retry and nothing else) {
  CAF_CHECK(*ended(75, "retry_after 30s\n").means == inbox::retry_after(30s));
  CAF_CHECK(*ended(75, "retry_after 500ms").means == inbox::retry_after(500ms));
  CAF_CHECK(*ended(0, "retry_after 30s\n").means == inbox::ack());
  CAF_CHECK(*ended(65, "retry_after 30s\n").means == inbox::drop());
}

CAF_TEST(what cannot be read on descriptor 3 is a plain retry with a warning) {
  for (const char* said :
       {"retry_after", "retry_after 30", "retry_after -1s", "retry 30s",
        "retry_after 1s\nretry_after 2s\n", "\n", "\xff\x00"}) {
    const auto answer = ended(75, said);
    CAF_CHECK(*answer.means == inbox::retry());
    CAF_CHECK(!answer.warning.empty());
  }
}

CAF_TEST(a batch is answered row by row or by nothing) {
  const auto answered = [](int code, std::string output) {
    return read_batch_answer({{code, 0, ""}, ending::by_itself, output}, 2)
      .means;
  };
  const auto both = [](const inbox::handled& one) {
    return std::vector<inbox::handled>{one, one};
  };
  CAF_CHECK(answered(0, "") == both(inbox::ack()));
  CAF_CHECK(answered(0, " \n") == both(inbox::ack()));
  CAF_CHECK(answered(75, "[]") == both(inbox::retry()));
  CAF_CHECK(answered(65, "") == both(inbox::drop()));
  CAF_CHECK(
    answered(0, R"(["drop", {"retry_after":"30s"}])")
    == (std::vector<inbox::handled>{inbox::drop(), inbox::retry_after(30s)}));
  CAF_CHECK(answered(0, R"(["ack","retry"])")
            == (std::vector<inbox::handled>{inbox::ack(), inbox::retry()}));
}

CAF_TEST(an answer to a batch that cannot be read fails every row of it) {
  for (const char* output :
       {"done", "{}", "[]", R"(["ack"])", R"(["ack","ack","ack"])",
        R"(["ack","nack"])", R"(["ack",{"retry_after":30}])",
        R"(["ack",{"retry_after":"30"}])", R"(["ack",{"wait":"30s"}])",
        "[\"ack\",\"\xff\"]"}) {
    const auto means
      = read_batch_answer({{0, 0, ""}, ending::by_itself, output}, 2).means;
    CAF_REQUIRE_EQUAL(means.size(), 2u);
    for (const auto& one : means)
      CAF_CHECK(refusal(one).code() == inbox::errc::handler_failed);
  }
}

CAF_TEST(a row is exact JSON) {
  using inbox::value_view;
  const struct {
    value_view seen;
    const char* text;
  } cases[] = {
    {{}, R"({"c":null})"},
    {value_view::of(true), R"({"c":true})"},
    {value_view::of(std::int64_t{9007199254740993}),
     R"({"c":9007199254740993})"},
    {value_view::of(0.1), R"({"c":0.1})"},
    {value_view::decimal("123456789012345678901234567890.10"),
     R"({"c":123456789012345678901234567890.10})"},
    {value_view::decimal("NaN"), R"({"c":"NaN"})"},
    {value_view::json(R"({"a":[1]})"), R"({"c":{"a":[1]}})"},
    {value_view::text("a\"b\n"), R"({"c":"a\"b\n"})"},
    {value_view::text("\xff"), R"({"c_base64":"/w=="})"},
    {value_view::bytes(std::string_view{"\0\xff", 2}),
     R"({"c_base64":"AP8="})"},
    {value_view::bytes(""), R"({"c_base64":""})"},
    {value_view::of(inbox::time_point{1'767'323'045'678'901us}),
     R"({"c":"2026-01-02T03:04:05.678901Z"})"},
  };
  for (const auto& c : cases)
    CAF_CHECK_EQUAL(json_of(c.seen), c.text);
}

CAF_TEST(base64 pads to whole groups) {
  CAF_CHECK_EQUAL(base64("f"), "Zg==");
  CAF_CHECK_EQUAL(base64("fo"), "Zm8=");
  CAF_CHECK_EQUAL(base64("foo"), "Zm9v");
  CAF_CHECK_EQUAL(base64("foob"), "Zm9vYg==");
}

CAF_TEST(an id is whole however long it is) {
  const std::string longer(1000, 'x');
  CAF_CHECK_EQUAL(id_text(inbox::value_view::text(longer)), longer);
  CAF_CHECK_EQUAL(id_text(inbox::value_view::bytes("\x01\xff")), "01ff");
  CAF_CHECK_EQUAL(id_text(inbox::value_view::of(std::int64_t{-7})), "-7");
}

CAF_TEST(what a program prints cannot steer a terminal) {
  CAF_CHECK_EQUAL(printable("a\x1b[2Jb\r\xff\tc"), "a\\x1b[2Jb\\x0d\\xff\tc");
  CAF_CHECK_EQUAL(printable("gr\u00fc\u00df"), "gr\u00fc\u00df");
}

CAF_TEST(output is cut into lines and pieces of long ones) {
  std::vector<std::string> lines;
  line_cutter cutter{[&](std::string_view l) { lines.emplace_back(l); }};
  cutter.add("one\ntw");
  cutter.add("o\n\nthr");
  cutter.finish();
  CAF_CHECK_EQUAL(lines, (std::vector<std::string>{"one", "two", "", "thr"}));
  lines.clear();
  cutter.add(std::string(line_cutter::longest + 5, 'x'));
  cutter.finish();
  CAF_REQUIRE_EQUAL(lines.size(), 2u);
  CAF_CHECK_EQUAL(lines[0].size(), line_cutter::longest);
  CAF_CHECK_EQUAL(lines[1].size(), 5u);
}

CAF_TEST(everything behind exec belongs to the program) {
  const auto line = split_exec(
    {"serve", "emails", "--exec", "p", "--json", "--exec"});
  CAF_CHECK_EQUAL(line.words, (std::vector<std::string>{"serve", "emails"}));
  CAF_REQUIRE(line.exec.has_value());
  CAF_CHECK_EQUAL(*line.exec,
                  (std::vector<std::string>{"p", "--json", "--exec"}));
  CAF_CHECK(!split_exec({"enqueue", "q", "--payload", "--exec"}).exec);
}

CAF_TEST(a program is found in PATH or from the folder given) {
  CAF_CHECK(unbox(find_program({"sh", "-c"}, "/")).file.ends_with("/sh"));
  CAF_CHECK_EQUAL(unbox(find_program({"./sh"}, "/bin")).file, "/bin/sh");
  CAF_CHECK_EQUAL(unbox(find_program({"bin/sh"}, "/")).file, "/bin/sh");
  CAF_CHECK(refusal(find_program({"./gone"}, "/bin")).code()
            == inbox::errc::handler_failed);
  CAF_CHECK(refusal(find_program({"/etc"}, "/")).code()
            == inbox::errc::handler_failed);
  CAF_CHECK(refusal(find_program({}, "/")).code()
            == inbox::errc::invalid_setting);
}

CAF_TEST(columns are aligned and numbers to the right) {
  CAF_CHECK_EQUAL(aligned({{"queue", "n"}, {"\u00e4", "12"}, {"emails", "3"}}),
                  "queue    n\n\u00e4       12\nemails   3\n");
}
