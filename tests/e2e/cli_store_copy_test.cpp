#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/places.hpp"
#include "tests/support/postgres_database.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

/// A server on a file, whose store is copied once it is stopped.
class CliStoreCopy : public CliTest {
 protected:
  std::string file() { return "sqlite:" + (folder_ / "semel.db").string(); }
  std::vector<std::string> command(const std::string& act) {
    return {"store", act, "--from", file(), "--to", database_.url()};
  }

  /// Tasks in every state, with all that can be beside them.
  void fill() {
    RestClient client = server_.connect();
    const auto put = [&](const std::string& path, const Json& body) {
      const HttpAnswer answer = client.raw().ask({.method = "PUT", .target = path, .body = body.dump()});
      ASSERT_LT(answer.status, 300) << answer.body;
    };
    put("/v1/templates", {{"namespace", "shop"}, {"name", "charge"}, {"version", "1.0.0"}});
    put("/v1/queues/slow", {{"rate_limit", "100/sec"}, {"max_running", 2}});
    put("/v1/schedules/yearly", {{"cron", "0 0 1 1 *"}, {"task", {{"handler", "report"}}}});
    for (const char* name : {"completed", "failed", "running", "cancelled", "pending"})
      create(client, {{"handler", "a"}, {"idempotency_key", name}, {"max_attempts", 1}, {"labels", {{"is", name}}}});
    create(client, {{"namespace", "shop"}, {"name", "charge"}, {"context", {{"order", 1}}}});
    create(client, {{"handler", "later"}, {"delay", "1h"}, {"concurrency_key", "c"}});
    const Json poll{
        {"worker_id", "w"}, {"queues", {"default"}}, {"handlers", {"a"}}, {"max", 3}, {"lease_ms", 3'600'000}};
    const Json leases = client.post("/v1/worker/poll", poll).body["leases"];
    ASSERT_EQ(leases.size(), 3u);
    const auto attempt = [&](std::size_t number) {
      return "/v1/attempts/" + leases[number]["attempt_id"].get<std::string>();
    };
    ASSERT_EQ(client.post(attempt(0) + "/complete", {{"result", {{"paid", 12.50}}}}).status, 200);
    ASSERT_EQ(client.post(attempt(1) + "/fail", {{"error", {{"type", "t"}, {"message", "m"}}}}).status, 200);
    ASSERT_EQ(client.post("/v1/tasks/" + ids_[3] + "/cancel", Json::object()).status, 200);
    ASSERT_EQ(client.post("/v1/tasks", {{"handler", "a"}, {"idempotency_key", "completed"}}).status, 409);
  }

  void create(RestClient& client, const Json& task) {
    const Reply reply = client.post("/v1/tasks", task);
    ASSERT_EQ(reply.status, 201) << reply.body;
    ids_.push_back(reply.body["task_uuid"]);
  }

  /// What is answered to everybody who asks for what is there.
  std::map<std::string, Json> answers(const ServerProcess& server) {
    RestClient client = server.connect();
    std::map<std::string, Json> answers;
    std::vector<std::string> paths{"/v1/tasks?limit=3",
                                   "/v1/tasks?status=pending",
                                   "/v1/schedules",
                                   "/v1/schedules/yearly",
                                   "/v1/queues/slow",
                                   "/v1/templates",
                                   "/v1/audit",
                                   "/v1/tasks/by-key?key=completed",
                                   "/v1/tasks/by-key?key=failed"};
    for (const std::string& id : ids_) paths.insert(paths.end(), {"/v1/tasks/" + id, "/v1/tasks/" + id + "/result"});
    for (const std::string& path : paths) {
      Reply reply = client.get(path);
      if (reply.body.is_object()) reply.body.erase("rates");  // each server has seen other changes
      answers[path] = {{"status", reply.status}, {"body", reply.body}};
    }
    return answers;
  }

  PostgresDatabase database_;
  std::vector<std::string> ids_;
};

TEST_F(CliStoreCopy, GivesTheSameAnswers) {
  fill();
  ASSERT_EQ(server_.stop(), 0);
  {
    ServerProcess again(folder_ / "semel.db");  // with the duplicates written down
    const auto before = answers(again);
    ASSERT_EQ(again.stop(), 0);

    const Finished copied = run_semel(command("copy"));

    EXPECT_EQ(copied.code, 0) << copied.errors;
    EXPECT_THAT(copied.output, MatchesRegex("TABLE +ROWS +SHA-256 *\n(.|\n)*executions +7 +[0-9a-f]{16} +same\n(.|\n)*"
                                            "copied, and the same in every row\n"));
    EXPECT_EQ(run_semel(command("verify")).code, 0);
    ServerProcess target(StoreUrl{database_.url()});
    EXPECT_EQ(answers(target), before);
    RestClient client = target.connect();
    EXPECT_EQ(client.post("/v1/tasks", {{"handler", "a"}, {"idempotency_key", "completed"}}).status, 409);
    EXPECT_EQ(client.post("/v1/tasks", {{"handler", "a"}, {"idempotency_key", "failed"}}).status, 201);
    EXPECT_EQ(
        client.post("/v1/tasks", {{"namespace", "shop"}, {"name", "charge"}, {"context", {{"order", 1.0}}}}).status,
        409);
  }
}

TEST_F(CliStoreCopy, TakesTheKeysAlong) {
  ASSERT_EQ(server_.stop(), 0);
  const Finished made =
      run_semel({"key", "create", "--store", file(), "--name", "me", "--permissions", "admin", "--json"});
  const std::string key = Json::parse(made.output)["key"];

  ASSERT_EQ(run_semel(command("copy")).code, 0);

  ServerProcess target(StoreUrl{database_.url()});
  EXPECT_EQ(target.connect().get("/v1/keys").status, 401);
  EXPECT_EQ(target.connect().raw().ask({"GET", "/v1/keys", key}).status, 200);
}

TEST_F(CliStoreCopy, KilledInTheMiddleLeavesATargetThatNoServerStartsOnUntilItIsRepeated) {
  fill();
  ASSERT_EQ(server_.stop(), 0);
  ASSERT_EQ(run_semel({"migrate", "--store", database_.url()}).code, 0);
  const auto session = database_.open();
  session->execute(
      "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS"
      " $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;"
      "CREATE TRIGGER hold BEFORE INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION hold();"
      "SELECT pg_advisory_lock(42)");

  std::vector<std::string> copy = command("copy");
  copy.insert(copy.begin(), places::semel);
  Process process(copy);
  const std::string waits =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while (session->execute(waits).count() == 0) session->execute("SELECT pg_sleep(0.01)");
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait(), -SIGKILL);
  session->execute("SELECT pg_advisory_unlock(42); DROP FUNCTION hold() CASCADE");

  const Finished refused = run_to_end(server_command({"--listen", "127.0.0.1:0", "--store", database_.url()}));
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("a copy into this database has not ended"));
  EXPECT_EQ(session->execute("SELECT count(*) AS n FROM executions").text(0, "n"), "0");

  const Finished repeated = run_semel(command("copy"));
  EXPECT_EQ(repeated.code, 0) << repeated.errors;
  ServerProcess target(StoreUrl{database_.url()});
  EXPECT_EQ(target.connect().get("/v1/tasks/" + ids_[0]).status, 200);
}

TEST_F(CliStoreCopy, NamesTheRowThatDiffers) {
  fill();
  ASSERT_EQ(server_.stop(), 0);
  ASSERT_EQ(run_semel(command("copy")).code, 0);
  database_.open()->execute("UPDATE executions SET result = '1' WHERE id = '" + ids_[0] + "'");

  const Finished found = run_semel(command("verify"));
  std::vector<std::string> as_json = command("verify");
  as_json.emplace_back("--json");
  const Json json = Json::parse(run_semel(as_json).output);

  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.output, MatchesRegex("(.|\n)*executions +7 +[0-9a-f]{16} +differs\n(.|\n)*"));
  EXPECT_THAT(found.errors, HasSubstr("semel: executions default/" + ids_[0] + " has another result\n"));
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["differences"][0]["key"], "default/" + ids_[0]);
}

TEST_F(CliStoreCopy, IsRefusedWhereItWouldDoHarm) {
  const Finished running = run_semel(command("copy"));
  ASSERT_EQ(server_.stop(), 0);
  ASSERT_EQ(run_semel(command("copy")).code, 0);
  ServerProcess target(StoreUrl{database_.url()});
  const Finished served = run_semel(command("copy"));
  EXPECT_EQ(target.connect().post("/v1/tasks", {{"handler", "h"}}).status, 201);
  ASSERT_EQ(target.stop(), 0);
  const Finished full = run_semel(command("copy"));
  const Finished wrong = run_semel({"store", "copy", "--from", file(), "--to", "sqlite:other.db"});

  EXPECT_EQ(running.code, 1);
  EXPECT_THAT(running.errors, HasSubstr("in use by the process with pid"));
  EXPECT_EQ(served.code, 1);
  EXPECT_THAT(served.errors, HasSubstr("stop all servers first"));
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.errors, HasSubstr("not empty"));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("semel backup"));
}

TEST_F(CliStoreCopy, IsFoundWellByTheDoctor) {
  ASSERT_EQ(server_.stop(), 0);
  ASSERT_EQ(run_semel(command("copy")).code, 0);

  const Finished shown = run_semel({"doctor", "--store", database_.url()});
  const Finished machine = run_semel({"doctor", "--store", database_.url(), "--json"});
  const Json json = Json::parse(machine.output);

  EXPECT_EQ(shown.code, 1);  // the tests' server runs without fsync
  EXPECT_THAT(shown.output, HasSubstr("set fsync = on"));
  EXPECT_THAT(shown.output, MatchesRegex("(.|\n)*ok +indexes +all [0-9]+ are there and valid\n(.|\n)*"));
  EXPECT_EQ(machine.code, 1);
  EXPECT_EQ(json["ok"], false);
  for (const Json& check : json["checks"]) {
    const bool is_odd = check["check"] == "fsync" || check["check"] == "autovacuum";
    EXPECT_EQ(check["verdict"] == "ok", !is_odd) << check;
  }
}

}  // namespace
}  // namespace semel::test
