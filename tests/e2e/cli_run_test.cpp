#include <gmock/gmock.h>

#include "tests/e2e/work.hpp"

/// Runs on the command line.
namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

const std::string order =
    "namespace: shop\nname: order\nversion: 1.0.0\nidentity_strategy: always_unique\nmax_attempts: 1\nsteps:\n"
    "  - {name: charge, handler: charge}\n"
    "  - {name: ship, handler: ship, depends_on: [charge], on_upstream_failure: block}\n";

class CliRun : public WorkTest {
 protected:
  void SetUp() override {
    write_file(folder_ / "order.yaml", order);
    ASSERT_EQ(semel({"template", "apply", (folder_ / "order.yaml").string()}).code, 0);
    run_ = submit({"order", "--namespace", "shop", "--context", R"({"order":7})"});
  }

  std::string run_;
};

TEST_F(CliRun, IsShownWithItsStepsItsGraphAndItsHistory) {
  const Finished done = work_off(shell("echo 1"));

  const Finished shown = semel({"get", run_});
  const Finished graph = semel({"graph", run_});
  const Finished json = semel({"graph", run_, "--json"});
  const Finished history = semel({"history", run_});
  const Finished page = semel({"history", run_, "--limit", "1"});
  const Finished tasks = semel({"ls", "--parent", run_});
  const Finished runs = semel({"ls", "--kind", "workflow"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_THAT(shown.output, HasSubstr("STEP    STATUS     WHY  AFTER   TASK"));
  EXPECT_THAT(shown.output, MatchesRegex("(.|\n)*ship +completed +charge +[0-9a-f-]{36} *\n(.|\n)*"));
  EXPECT_EQ(graph.output, "flowchart TD\n  s0[\"charge<br/>completed\"]\n  s1[\"ship<br/>completed\"]\n  s0 --> s1\n");
  EXPECT_EQ(Json::parse(json.output)["steps"][1]["depends_on"], Json::array({"charge"}));
  EXPECT_THAT(history.output,
              MatchesRegex("SEQ +AT +WHAT +STEP +DETAIL *\n1 +.*run_started *\n(.|\n)*run_completed *\n"));
  EXPECT_THAT(page.output, HasSubstr("more: --cursor 1"));
  EXPECT_THAT(tasks.output, MatchesRegex("(.|\n)*completed +ship(.|\n)*completed +charge(.|\n)*"));
  EXPECT_THAT(runs.output, HasSubstr(run_));
  EXPECT_EQ(semel({"graph", "01900000-0000-7000-8000-000000000000"}).code, 4);
}

TEST_F(CliRun, IsRetriedResolvedAndCancelledWithReasons) {
  work_off(shell("exit 65"));
  const Finished blocked = semel({"get", run_});
  const Finished retried = semel({"retry", run_, "--step", "charge", "--why", "the bank is back"});
  work_off(shell("exit 65"));
  const Finished resolved =
      semel({"resolve", run_, "ship", "--result", R"({"by": "hand"})", "--why", "brought it over"});
  const Finished bad = semel({"resolve", run_, "ship", "--result", "{"});
  const std::string history = semel({"history", run_}).output;
  const std::string other = submit({"order", "--namespace", "shop"});
  const Finished cancelled = semel({"cancel", other, "--why", "enough"});

  EXPECT_THAT(blocked.output, MatchesRegex("(.|\n)*ship +blocked +upstream_failed +charge(.|\n)*"));
  EXPECT_EQ(retried.code, 0) << retried.errors;
  EXPECT_EQ(retried.output, "suspended\n");
  EXPECT_EQ(resolved.code, 0) << resolved.errors;
  EXPECT_EQ(resolved.output, "failed\n") << "a step that was never mended fails its run";
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.errors, HasSubstr("--result must be JSON"));
  EXPECT_THAT(history, HasSubstr("the bank is back"));
  EXPECT_THAT(history, HasSubstr("brought it over"));
  EXPECT_EQ(cancelled.output, "cancelled\n") << cancelled.errors;
}

TEST_F(CliRun, GivesHandlersAnEnvelopeIfTheyWantOne) {
  const std::string script =
      R"sh(printf '{"input":%s,"run":"%s","key":"%s"}' "$(cat)" "$SEMEL_TASK_RUN_ID" "$SEMEL_TASK_KEY")sh";

  work_off(shell(script), {"--envelope", "--exit-when-empty"});

  const Json result = task(run_)["result"];
  EXPECT_EQ(
      result["charge"],
      (Json{{"input", {{"context", {{"order", 7}}}, {"upstream", Json::object()}}}, {"run", run_}, {"key", "charge"}}));
  EXPECT_EQ(result["ship"]["input"]["upstream"]["charge"]["result"], result["charge"]);
}

TEST_F(CliRun, GivesHandlersTheContextAloneIfTheySayNothing) {
  work_off(shell("cat"));

  EXPECT_EQ(task(run_)["result"], (Json{{"charge", {{"order", 7}}}, {"ship", {{"order", 7}}}}));
}

TEST_F(CliRun, ATemplateIsComparedWithTheRegisteredOne) {
  const std::string file = (folder_ / "order.yaml").string();
  const Finished same = semel({"template", "diff", file});
  const Finished new_version = [&] {
    write_file(folder_ / "new.yaml", "namespace: shop\nname: order\nversion: 2.0.0\n");
    return semel({"template", "diff", (folder_ / "new.yaml").string()});
  }();
  std::string changed = order;
  changed.replace(changed.find("handler: charge"), 15, "handler: refund");
  write_file(folder_ / "order.yaml", changed);
  const Finished differs = semel({"template", "diff", file});

  EXPECT_EQ(same.code, 0) << same.errors;
  EXPECT_EQ(same.output, file + ": shop/order 1.0.0 is the same as revision 1\n");
  EXPECT_EQ(differs.code, 1);
  EXPECT_EQ(differs.output,
            file + ": shop/order 1.0.0 differs from revision 1\n  /steps/0/handler: \"charge\" → \"refund\"\n");
  EXPECT_EQ(new_version.code, 1);
  EXPECT_THAT(new_version.output, HasSubstr("shop/order 2.0.0 is not registered"));
}

TEST_F(CliRun, ATemplateThatGoesRoundInACircleIsRefusedWithItsLine) {
  const std::string file = (folder_ / "circle.yaml").string();
  write_file(file,
             "namespace: shop\nname: circle\nversion: 1.0.0\nsteps:\n  - {name: a, handler: x, depends_on: [b]}\n"
             "  - {name: b, handler: x, depends_on: [a]}\n");

  const Finished refused = semel({"template", "apply", file});

  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.errors, HasSubstr(file + ":5: the steps go round in a circle: a → b → a"));
}

}  // namespace
}  // namespace semel::test
