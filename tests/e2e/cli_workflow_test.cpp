#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"

namespace semel::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// `semel workflow` and `semel promise`. No worker has the code of these workflows: they wait.
class CliWorkflow : public CliTest {
 protected:
  std::string done(std::vector<std::string> arguments) {
    const Finished finished = semel(std::move(arguments));
    EXPECT_EQ(finished.code, 0) << finished.errors;
    return finished.output;
  }
  std::string start() {
    return done({"workflow", "start", "process_order", "--workflow-id", "order-7", "--input", R"({"order": 7})"})
        .substr(0, 36);
  }
};

TEST_F(CliWorkflow, AWorkflowIsStartedOnceAndShown) {
  const std::string id = start();

  const Finished again =
      semel({"workflow", "start", "process_order", "--workflow-id", "order-7", "--input", R"({"order": 7})"});
  const std::string existing = done({"workflow", "start", "process_order", "--workflow-id", "order-7", "--input",
                                     R"({"order": 7})", "--on-duplicate", "return_existing"});

  EXPECT_EQ(again.code, 3);
  EXPECT_EQ(existing, id + "  exists already  pending\n");
  const std::vector<std::string> by_id{"workflow", "get", id};
  const std::vector<std::string> by_workflow_id{"workflow", "get", "--workflow-id", "order-7"};
  for (const std::vector<std::string>& command : {by_id, by_workflow_id}) {
    const std::string shown = done(command);
    EXPECT_THAT(shown, ContainsRegex("workflow +" + id));
    EXPECT_THAT(shown, ContainsRegex("kind +process_order"));
    EXPECT_THAT(shown, ContainsRegex("input +\\{\"order\": 7\\}"));
  }
  EXPECT_EQ(semel({"workflow", "get", "--workflow-id", "nobody"}).code, 4);
  EXPECT_EQ(semel({"workflow", "get"}).code, 2);
}

TEST_F(CliWorkflow, SignalsStandInTheHistory) {
  start();
  const std::vector<std::string> signal{"workflow", "signal", "--workflow-id", "order-7", "--name", "note",
                                        "--value",  "1",      "--signal-key",  "k"};

  EXPECT_EQ(done(signal), "received\n");
  EXPECT_EQ(done(signal), "received before\n");

  const std::string history = done({"workflow", "history", "--workflow-id", "order-7"});
  EXPECT_THAT(history, HasSubstr("run_started"));
  EXPECT_THAT(history, HasSubstr("signal_received"));
  EXPECT_EQ(semel({"workflow", "signal", "--workflow-id", "order-7", "--name", "a", "--value", "{"}).code, 2);
}

TEST_F(CliWorkflow, AreListedByKindAndState) {
  const std::string id = start();
  done({"workflow", "start", "pack", "--workflow-id", "pack-7", "--input", "1"});

  const std::string all = done({"workflow", "ls"});
  EXPECT_THAT(all, ContainsRegex(id + " +pending +process_order +order-7 +default "));
  EXPECT_THAT(all, ContainsRegex(" pending +pack +pack-7 "));
  const std::string packed = done({"workflow", "ls", "--kind", "pack"});
  EXPECT_THAT(packed, HasSubstr("pack-7"));
  EXPECT_THAT(packed, Not(HasSubstr("order-7")));
  EXPECT_EQ(done({"workflow", "ls", "--status", "completed"}), "no workflows\n");
  EXPECT_EQ(done({"ls", "--kind", "promise"}), "no tasks\n");
}

TEST_F(CliWorkflow, AWorkflowIsCancelled) {
  const std::string id = start();

  EXPECT_EQ(done({"workflow", "cancel", id, "--why", "enough"}), "cancelled\n");

  EXPECT_EQ(semel({"workflow", "cancel", id}).code, 1);
  EXPECT_THAT(done({"workflow", "history", id}), HasSubstr("run_cancelled"));
}

class CliPromise : public CliWorkflow {};

TEST_F(CliPromise, IsResolvedOnceByItsKey) {
  const std::string id = done({"promise", "create", "--idempotency-key", "approve-7", "--expires-in", "24h"});
  EXPECT_THAT(id, ContainsRegex("^[0-9a-f-]{36}  created  pending\n"));

  EXPECT_EQ(done({"promise", "resolve", "--idempotency-key", "approve-7", "--value", "true"}), "completed\n");
  EXPECT_EQ(done({"promise", "resolve", id.substr(0, 36), "--value", "false"}), "completed before\n");

  EXPECT_THAT(done({"promise", "get", "--idempotency-key", "approve-7"}), ContainsRegex("value +true"));
  EXPECT_EQ(semel({"promise", "create", "--idempotency-key", "approve-7"}).code, 3);
}

TEST_F(CliPromise, IsRejectedWithAReason) {
  const std::string id = done({"promise", "create"}).substr(0, 36);

  EXPECT_EQ(semel({"promise", "reject", id}).code, 2);
  EXPECT_EQ(done({"promise", "reject", id, "--message", "too dear", "--type", "REFUSED"}), "failed\n");

  EXPECT_THAT(done({"promise", "get", id}), HasSubstr(R"({"message":"too dear","type":"REFUSED"})"));
  EXPECT_EQ(semel({"promise", "get", "019bddae-0000-7000-8000-000000000000"}).code, 4);
  EXPECT_EQ(semel({"promise", "resolve"}).code, 2);
}

}  // namespace
}  // namespace semel::test
