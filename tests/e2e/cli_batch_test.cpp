#include <gmock/gmock.h>

#include <sstream>

#include "tests/e2e/cli.hpp"
#include "tests/support/database.hpp"
#include "tests/support/tiny_server.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;

class CliBatch : public CliTest {
 protected:
  Finished submit_lines(const std::string& lines, std::vector<std::string> more = {}) {
    write_file(folder_ / "tasks.jsonl", lines);
    more.insert(more.begin(), {"submit", "--batch", file_});
    return semel(std::move(more));
  }
  std::size_t tasks() { return Database(folder_ / "semel.db").count("SELECT count(*) FROM executions"); }

  std::string file_ = (folder_ / "tasks.jsonl").string();
};

std::string many_lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += R"({"handler":"h","idempotency_key":"k)" + std::to_string(i) + "\"}\n";
  return lines;
}

TEST_F(CliBatch, OfManyTasksCreatesThemAll) {
  const Finished done = submit_lines(many_lines(2500));

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_EQ(done.output, "2500 created, 0 existed and were returned, 0 duplicates, 0 refused, 0 not taken now\n");
  EXPECT_EQ(tasks(), 2500u);
}

TEST_F(CliBatch, TellsOfDuplicatesByItsExitCode) {
  submit_lines(many_lines(3));

  const Finished again = submit_lines(many_lines(4));

  EXPECT_EQ(again.code, 3);
  EXPECT_EQ(again.output, "1 created, 0 existed and were returned, 3 duplicates, 0 refused, 0 not taken now\n");
}

TEST_F(CliBatch, NamesTheLinesThatAreRefusedAndTakesTheOthers) {
  const Finished done = submit_lines(
      "{\"handler\":\"h\"}\n\n{\"handlr\":\"h\"}\nnot json\n[]\n{\"handler\":\"h\",\"context\":{\"n\":1.00}}\n");

  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.output, "2 created, 0 existed and were returned, 0 duplicates, 3 refused, 0 not taken now\n");
  EXPECT_THAT(done.errors, HasSubstr(file_ + ":3: unknown field 'handlr'; did you mean 'handler'? (BAD_REQUEST)\n"));
  EXPECT_THAT(done.errors, HasSubstr(file_ + ":4: "));
  EXPECT_THAT(done.errors, HasSubstr(file_ + ":5: a submission must be a JSON object"));
  EXPECT_EQ(Database(folder_ / "semel.db").count("SELECT count(*) FROM executions WHERE context = '{\"n\":1.00}'"), 1u);
}

TEST_F(CliBatch, PrintsOneAnswerALineAsJson) {
  const Finished done = submit_lines("{\"handler\":\"h\"}\n{\n{\"handler\":\"h\"}\n", {"--json"});

  std::vector<int> statuses;
  std::istringstream lines(done.output);
  for (std::string line; std::getline(lines, line);) statuses.push_back(Json::parse(line)["status"]);
  EXPECT_EQ(statuses, (std::vector<int>{201, 400, 201}));
}

TEST_F(CliBatch, SendsAgainWhatTheServerCouldNotTake) {
  TinyServer server([](const auto&, std::size_t number) {
    const std::string busy = R"({"status":503,"body":{"error":{"code":"UNAVAILABLE","message":"busy"}}})";
    const std::string good = R"({"status":201,"body":{"task_uuid":"x"}})";
    return TinyServer::json(200, "{\"results\":[" + (number == 1 ? good + "," + busy : good) + "]}");
  });
  write_file(folder_ / "tasks.jsonl", many_lines(2));

  const Finished done = run_client(server.address(), {"submit", "--batch", file_, "--retries", "2"});

  EXPECT_EQ(done.code, 0) << done.errors;
  std::vector<Json> sent;
  for (const std::string& request : server.requests())
    sent.push_back(Json::parse(TinyServer::body_of(request))["tasks"]);
  ASSERT_EQ(sent.size(), 2u);
  ASSERT_EQ(sent[1].size(), 1u);
  EXPECT_EQ(sent[1][0], sent[0][1]);
  EXPECT_NE(sent[0][0]["task_uuid"], sent[0][1]["task_uuid"]);
}

TEST_F(CliBatch, SaysFromWhereOnItIsNotKnown) {
  TinyServer server([](const auto&, std::size_t number) {
    if (number > 1) return std::string();
    std::string results;
    for (int i = 0; i < 1000; ++i) results += std::string(i == 0 ? "" : ",") + R"({"status":201,"body":{}})";
    return TinyServer::json(200, "{\"results\":[" + results + "]}");
  });
  write_file(folder_ / "tasks.jsonl", many_lines(1500));

  const Finished done = run_client(server.address(), {"submit", "--batch", file_});

  EXPECT_EQ(done.code, 5);
  EXPECT_THAT(done.errors, HasSubstr("what comes from line 1001 on is not known to be submitted"));
  EXPECT_THAT(done.output, HasSubstr("1000 created"));
}

}  // namespace
}  // namespace semel::test
