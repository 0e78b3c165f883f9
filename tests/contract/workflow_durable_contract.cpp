#include "tests/contract/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// What of a code workflow is there when the store is opened again.
class WorkflowDurableContract : public WorkflowContract {};
SEMEL_ON_ALL_STORES(WorkflowDurableContract);

TEST_P(WorkflowDurableContract, AllOfItSurvivesThatTheStoreIsOpenedAgain) {
  const ExecutionId workflow = start();
  const Lease lease = activate();
  const EndActivation end = answer_to(lease, Say().task("charge").timer(1h).promise("p").status("1"));
  apply(end);
  signal(workflow, "go", "1", "k");
  const std::string before = describe(read(workflow));
  reopen();

  EXPECT_EQ(describe(read(workflow)), before);
  EXPECT_EQ(as<AttemptAnswer>(apply(end)).kind, AttemptAnswer::Kind::already_recorded);
  EXPECT_EQ(signal(workflow, "go", "1", "k"), SignalAnswer::Kind::already_received);
  EXPECT_EQ(settle("p").kind, SettleAnswer::Kind::settled);
  EXPECT_EQ(names_of(*activate().activation), "signal_received, task_completed");
}

}  // namespace
}  // namespace semel::test
