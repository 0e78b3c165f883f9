#include <gmock/gmock.h>

#include "tests/e2e/work.hpp"

/// `semel work`: how a handler is kept alive, and how it is stopped.
namespace semel::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// Handlers that say when they have begun, and end when they are let.
class WorkStopTest : public WorkTest {
 protected:
  /// A handler that says that it has begun, does something, and is 17 in the end.
  std::vector<std::string> handler(const std::string& then) const {
    return shell("echo begun >" + begun_.path() + "; " + then + "; echo 17");
  }
  std::string wait_for_end() const { return "cat " + end_.path() + " >/dev/null"; }
  static std::string wait_forever() { return "tail -f /dev/null"; }

  /// Returns when the server's clock has passed this time.
  void wait_for(const std::string& time) {
    RestClient client = server_.connect();
    ASSERT_EQ(client.post("/v1/tasks", {{"handler", "clock"}, {"queue", "clock"}, {"run_at", time}}).status, 201);
    const Json poll{{"worker_id", "test"}, {"queues", {"clock"}}, {"wait_ms", 60'000}};
    ASSERT_EQ(client.post("/v1/worker/poll", poll).body["leases"].size(), 1u);
  }

  const Meeting begun_{folder_ / "begun"};
  const Meeting end_{folder_ / "end"};
};

TEST_F(WorkStopTest, KeepsTheLeaseOfALongHandlerByHeartbeats) {
  const std::string id = submit({"--handler", "h", "--max-attempts", "1"});
  Process process(worker(handler(wait_for_end()), {"--lease", "1s", "--once"}));
  begun_.read();

  wait_for(task(id)["attempts"][0]["lease_expires_at"]);
  wait_for(task(id)["attempts"][0]["lease_expires_at"]);
  const Json meanwhile = task(id);
  end_.write();

  EXPECT_EQ(meanwhile["status"], "running");
  EXPECT_EQ(closed(id)["status"], "completed");
  EXPECT_EQ(task(id)["result"], 17);
  EXPECT_EQ(task(id)["attempts"].size(), 1u);
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(WorkStopTest, AsksTheHandlerOfACancelledTaskToEnd) {
  const std::string id = submit({"--handler", "h"});
  const std::string trap = "trap 'echo tidied up >&2; exit 0' TERM; echo begun >" + begun_.path() + "; ";
  Process process(worker(shell(trap + wait_forever()), {"--lease", "1s", "--once"}));
  begun_.read();

  EXPECT_EQ(semel({"cancel", id}).code, 0);

  EXPECT_EQ(closed(id)["status"], "cancelled");
  EXPECT_EQ(task(id)["attempts"][0]["error"]["type"], "cancelled");
  EXPECT_THAT(std::string(task(id)["attempts"][0]["error"]["message"]), HasSubstr("tidied up"));
  EXPECT_THAT(process.read_rest(), HasSubstr(id + "  h  attempt 1  cancelled\n"));
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(WorkStopTest, KillsAHandlerThatDoesNotEndWhenAsked) {
  const std::string id = submit({"--handler", "h"});
  Process process(worker(shell("trap '' TERM; echo begun >" + begun_.path() + "; " + wait_forever()),
                         {"--lease", "1s", "--once", "--grace", "50ms"}));
  begun_.read();

  EXPECT_EQ(semel({"cancel", id}).code, 0);

  EXPECT_EQ(closed(id)["status"], "cancelled");
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(WorkStopTest, StopsTheHandlerOfALostLeaseAndReportsNothing) {
  const std::string id = submit({"--handler", "h"});
  Process process(worker(handler(wait_forever()), {"--lease", "1s", "--once"}));
  begun_.read();

  EXPECT_EQ(semel({"cancel", id, "--force"}).code, 0);

  EXPECT_EQ(process.wait(), 0);
  const std::string said = process.read_rest();
  EXPECT_THAT(said, HasSubstr("task " + id + ", attempt 1: its lease is lost"));
  EXPECT_THAT(said, Not(HasSubstr("  h  ")));
  EXPECT_EQ(task(id)["attempts"][0]["outcome"], "cancelled");
  EXPECT_FALSE(task(id)["attempts"][0].contains("stale_results"));
}

TEST_F(WorkStopTest, CannotOverwriteTheResultOfANewerAttemptAfterAPauseLongerThanItsLease) {
  const std::string id = submit({"--handler", "h"});
  Process paused(worker(handler(wait_for_end()), {"--lease", "1s", "--once"}));
  begun_.read();
  const std::string old_attempt = task(id)["attempts"][0]["attempt_id"];

  paused.signal(SIGSTOP);
  const Finished newer = work_off(shell("echo 18"), {"--once"});  // waits until the lease of the first has ended
  end_.write();                                                   // the handler of the first ends with 17 …
  paused.signal(SIGCONT);                                         // … and its worker wants to say so

  const std::string said = paused.read_rest();
  EXPECT_EQ(paused.wait(), 0);
  EXPECT_EQ(newer.output, id + "  h  attempt 2  completed\n");
  EXPECT_THAT(said,
              AnyOf(HasSubstr("attempt 1: its outcome came too late"), HasSubstr("attempt 1: its lease is lost")));
  EXPECT_EQ(server_.connect().post("/v1/attempts/" + old_attempt + "/complete", {{"result", 17}}).status, 409);
  const Json then = task(id);
  EXPECT_EQ(then["result"], 18);
  EXPECT_EQ(then["attempts"].size(), 2u);
  EXPECT_EQ(then["attempts"][0]["outcome"], "lease_ended");
  EXPECT_EQ(then["attempts"][1]["outcome"], "completed");
}

TEST_F(WorkStopTest, LetsHandlersEndAfterASignalAndTakesNoMore) {
  const std::string running = submit({"--handler", "h", "--priority", "1"});
  const std::string waiting = submit({"--handler", "h"});
  Process process(worker(handler(wait_for_end())));
  begun_.read();

  process.signal(SIGTERM);
  read_until(process, "semel: stopping; handlers that run: 1, with 10s to end");
  end_.write();

  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(task(running)["status"], "completed");
  EXPECT_EQ(task(waiting)["status"], "pending");
}

TEST_F(WorkStopTest, GivesATaskBackWhoseHandlerDoesNotEndInTime) {
  const std::string id = submit({"--handler", "h"});
  Process process(worker(handler(wait_forever()), {"--grace", "50ms"}));
  begun_.read();

  process.signal(SIGTERM);

  EXPECT_THAT(process.read_rest(), HasSubstr(id + "  h  attempt 1  worker_stopped, will be tried again\n"));
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(task(id)["attempts"][0]["error"]["type"], "worker_stopped");
  EXPECT_EQ(work_off({"true"}).output, id + "  h  attempt 2  completed\n");
}

TEST_F(WorkStopTest, HurriesWithEverySignal) {
  const std::string id = submit({"--handler", "h"});
  Process process(
      worker(shell("trap '' TERM; echo begun >" + begun_.path() + "; " + wait_forever()), {"--grace", "1h"}));
  begun_.read();

  process.signal(SIGINT);
  read_until(process, "stopping; handlers that run: 1");
  process.signal(SIGINT);
  read_until(process, "handlers asked to end: 1");
  process.signal(SIGTERM);
  read_until(process, "handlers killed: 1");

  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(task(id)["attempts"][0]["error"]["type"], "worker_stopped");
}

TEST_F(WorkStopTest, EndsAnIdleWorkerAtOnce) {
  Process process(worker({"true"}));
  read_until(process, "semel: taking tasks of default as ");

  process.signal(SIGTERM);

  EXPECT_EQ(process.wait(), 0);
  const std::string id = submit({"--handler", "h"});
  EXPECT_EQ(task(id)["status"], "pending");
}

TEST_F(WorkStopTest, SurvivesARestartOfTheServer) {
  const std::string first = submit({"--handler", "h"});
  Process process(worker(handler(wait_for_end()), {"--max-tasks", "2"}));
  begun_.read();

  EXPECT_EQ(server_.stop(), 0);
  end_.write();  // what comes out finds no server
  const std::string outage = read_until(process, "cannot reach http://" + server_.address());
  const std::string store = "sqlite:" + (folder_ / "semel.db").string();
  Process again(server_command({"--listen", server_.address(), "--store", store}));
  read_until(again, "semel: ready");

  EXPECT_EQ(read_until(process, "attempt 1"), first + "  h  attempt 1  completed");
  const std::string second = submit({"--handler", "h"});
  begun_.read();
  end_.write();
  const std::string rest = process.read_rest();
  EXPECT_EQ(process.wait(), 0);
  EXPECT_THAT(outage, HasSubstr("; trying again until it answers"));
  EXPECT_THAT(rest, HasSubstr(second + "  h  attempt 1  completed\n"));
  EXPECT_THAT(rest, Not(HasSubstr("cannot reach")));
}

}  // namespace
}  // namespace semel::test
