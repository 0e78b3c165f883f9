#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/client/exit_code.hpp"
#include "cli/client/json_view.hpp"
#include "cli/client/query.hpp"
#include "cli/client/show_time.hpp"
#include "cli/client/table.hpp"

/// How answers are read and shown.
namespace semel::cli {
namespace {

const Time now = *parse_rfc3339("2026-01-20T12:00:00Z");

TEST(ShownTime, IsReadable) {
  EXPECT_EQ(show_time("2026-01-20T11:57:00.500Z", now), "2026-01-20 11:57:00 UTC (2m ago)");
  EXPECT_EQ(show_age("2026-01-20T12:00:00.900Z", now), "now");
  EXPECT_EQ(show_age("2026-01-20T11:59:01Z", now), "59s ago");
  EXPECT_EQ(show_age("2026-01-20T10:00:00Z", now), "2h ago");
  EXPECT_EQ(show_age("2026-01-23T13:00:00Z", now), "in 3d");
  EXPECT_EQ(show_age("whenever", now), "whenever");
}

TEST(PastTime, IsATimeOrSoLongAgo) {
  EXPECT_EQ(read_past_time("--x", "2026-01-20T10:00:00Z", now).value(), now - 2h);
  EXPECT_EQ(read_past_time("--x", "2h", now).value(), now - 2h);
  EXPECT_THAT(read_past_time("--x", "yesterday", now).error().message,
              testing::StartsWith("--x: 'yesterday' is neither"));
}

TEST(ShownBytes, HaveAUnit) {
  EXPECT_EQ(show_bytes(0), "0 bytes");
  EXPECT_EQ(show_bytes(1023), "1023 bytes");
  EXPECT_EQ(show_bytes(1536), "1.5 KiB");
  EXPECT_EQ(show_bytes(std::uintmax_t{3} << 40), "3.0 TiB");
  EXPECT_EQ(show_bytes(std::uintmax_t{3} << 50), "3072.0 TiB");
}

TEST(Table, HasColumnsAsWideAsTheirWidestCell) {
  Table table({"NAME", "N"});
  table.add({"ä", "1"});
  table.add({"longer", ""});

  EXPECT_EQ(table.text(false), "NAME    N\nä       1\nlonger\n");
}

TEST(Table, IsColouredOnlyWhenTold) {
  Table table;
  table.add({{"a", Color::red}, "b"});

  EXPECT_EQ(table.text(false), "a  b\n");
  EXPECT_EQ(table.text(true), "\x1b[31ma\x1b[0m  b\n");
}

TEST(Printable, TextCannotSteerATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n\tc\x7f\xc2\x9b"
                      "d\xc3\xa4"),
            "a?[31mb?  c??d\xc3\xa4");
}

TEST(Shorten, CutsBetweenCharacters) {
  EXPECT_EQ(shorten("äöü", 3), "äöü");
  EXPECT_EQ(shorten("äöüß", 3), "äö…");
}

TEST(ProgressBar, ShowsHowFarItIs) {
  EXPECT_EQ(progress_bar(0, 4), "[" + std::string(30, '-') + "]   0 %");
  EXPECT_EQ(progress_bar(2, 4), "[" + std::string(15, '#') + std::string(15, '-') + "]  50 %");
  EXPECT_EQ(progress_bar(9, 4), "[" + std::string(30, '#') + "] 100 %");
  EXPECT_EQ(progress_bar(0, 0), "[" + std::string(30, '#') + "] 100 %");
}

TEST(JsonView, FindsPartsAndKeepsNumbers) {
  const JsonView view =
      JsonView::parse(R"({"a":{"n":9007199254740993.10},"s":"x\n\u00e4","l":[1, {"b":null}],"e":""})");

  EXPECT_EQ(view["a"]["n"].text(), "9007199254740993.10");
  EXPECT_EQ(view["s"].text(), "x\n\xc3\xa4");
  ASSERT_EQ(view["l"].elements().size(), 2u);
  EXPECT_EQ(view["l"].elements()[1]["b"].raw(), "null");
  EXPECT_TRUE(view["e"].exists());
  EXPECT_EQ(view["e"].text(), "");
}

TEST(JsonView, OfWhatIsNotThereIsEmpty) {
  const JsonView view = JsonView::parse(R"({"a":1})");

  EXPECT_FALSE(view["b"]["c"].exists());
  EXPECT_FALSE(view["a"]["c"].exists());
  EXPECT_EQ(view["b"].text(), "");
  EXPECT_TRUE(view["a"].elements().empty());
  for (const char* text : {"", "{", "<html>", "{} {}"}) EXPECT_FALSE(JsonView::parse(text).exists()) << text;
}

TEST(Query, EscapesWhatItIsGiven) {
  Query query;
  EXPECT_EQ(query.text(), "");

  query.add("key", "a b&c=d/ä+").add("none", std::nullopt).add("limit", "5");

  EXPECT_EQ(query.text(), "?key=a%20b%26c%3Dd%2F%C3%A4%2B&limit=5");
}

TEST(ExitCode, FollowsTheAnswer) {
  EXPECT_EQ(exit_code_of(200), 0);
  EXPECT_EQ(exit_code_of(204), 0);
  EXPECT_EQ(exit_code_of(400), 1);
  EXPECT_EQ(exit_code_of(409), 1);
  EXPECT_EQ(exit_code_of(500), 1);
  EXPECT_EQ(exit_code_of(301), 1);
  EXPECT_EQ(exit_code_of(404), 4);
  EXPECT_EQ(exit_code_of(410), 4);
  EXPECT_EQ(exit_code_of(503), 5);
}

TEST(ExitCode, OfASubmissionTellsADuplicate) {
  EXPECT_EQ(exit_code_of_submission(201, ""), 0);
  EXPECT_EQ(exit_code_of_submission(409, "CONFLICT"), 3);
  EXPECT_EQ(exit_code_of_submission(422, "IDEMPOTENCY_KEY_MISMATCH"), 3);
  EXPECT_EQ(exit_code_of_submission(422, "SOMETHING_ELSE"), 1);
  EXPECT_EQ(exit_code_of_submission(404, "NOT_FOUND"), 4);
  EXPECT_EQ(exit_code_of_submission(503, "UNAVAILABLE"), 5);
}

TEST(ExitCode, FollowsTheStateOfATask) {
  EXPECT_EQ(exit_code_of_state("completed"), 0);
  for (const char* state : {"failed", "cancelled", "timed_out"}) EXPECT_EQ(exit_code_of_state(state), 1) << state;
  for (const char* state : {"pending", "running"}) EXPECT_EQ(exit_code_of_state(state), 6) << state;
}

}  // namespace
}  // namespace semel::cli
