#include <gmock/gmock.h>

#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

/// What an administrator says about queues, and what workers see of it.
class Queues : public ServerFixture {
 protected:
  HttpAnswer put(const std::string& queue, const Json& settings, const std::string& key = "admin") {
    return ask({"PUT", "/v1/queues/" + queue, key, settings.dump()});
  }
  Json queue(const std::string& name, const std::string& key = "viewer") {
    return get(key, "/v1/queues/" + name).json();
  }
  HttpAnswer pause(const std::string& queue, const std::string& verb = "pause") {
    return post("admin", "/v1/queues/" + queue + "/" + verb, Json::object());
  }
  static Json counts(int created, int started, int completed, int failed, int retried) {
    return {
        {"created", created}, {"started", started}, {"completed", completed}, {"failed", failed}, {"retried", retried}};
  }
  /// A worker that waits for a task of the default queue.
  HttpClient waiting_worker() {
    HttpClient worker = connect();
    const std::size_t before = keys_.requests();
    worker.send({"POST", "/v1/worker/poll", "worker",
                 Json{{"worker_id", "w2"}, {"queues", {"default"}}, {"wait_ms", 60'000}}.dump()});
    keys_.wait_for_requests(before + 1);
    return worker;
  }
};

TEST_F(Queues, AQueueThatNobodyHasUsedHasTheUsualSettings) {
  const Json expected{{"name", "mail"},
                      {"paused", false},
                      {"retention", "7d"},
                      {"max_running_per_key", 1},
                      {"depth", {{"ready", 0}, {"waiting", 0}, {"blocked", 0}, {"running", 0}}},
                      {"set", Json::object()}};

  Json shown = queue("mail");
  EXPECT_EQ(shown["rates"]["hour"], counts(0, 0, 0, 0, 0));
  shown.erase("rates");
  EXPECT_EQ(shown, expected);
}

TEST_F(Queues, WhatIsPutHoldsAndIsShown) {
  const Json settings{
      {"retention", "30d"},       {"rate_limit", "100/sec"},    {"rate_burst", 5},      {"max_running", 20},
      {"max_running_per_key", 2}, {"reuse", "allow_duplicate"}, {"dedup_window", "1d"}, {"paused", true}};

  const HttpAnswer stored = put("mail", settings);

  EXPECT_EQ(stored.status, 200) << stored.body;
  EXPECT_EQ(stored.json()["set"], settings);
  Json shown = queue("mail");
  EXPECT_EQ(shown["set"], settings);
  shown.erase("set");
  shown.erase("name");
  shown.erase("depth");
  shown.erase("rates");
  EXPECT_EQ(shown, settings);
  EXPECT_EQ(put("mail", Json::object()).json()["set"], Json::object());
  EXPECT_EQ(queue("mail")["retention"], "7d");
}

TEST_F(Queues, AreKeptOverARestart) {
  put("mail", {{"max_running", 3}});

  restart();

  EXPECT_EQ(queue("mail")["max_running"], 3);
}

TEST_F(Queues, TheConfigurationIsOverruledByTheTenant) {
  stop();
  options_.queues["mail"].max_running = 3;
  options_.queues["mail"].retention = 1h;
  start();
  EXPECT_EQ(queue("mail")["max_running"], 3);

  put("mail", {{"max_running", 0}});

  EXPECT_FALSE(queue("mail").contains("max_running"));
  EXPECT_EQ(queue("mail")["retention"], "1h");
  EXPECT_EQ(queue("mail", "globex")["max_running"], 3);
}

TEST_F(Queues, AreListedWithTheirDepth) {
  put("quiet", {{"max_running", 1}});
  create("reader", {{"handler", "a"}, {"queue", "busy"}});
  create("reader", {{"handler", "a"}, {"queue", "busy"}, {"delay", "1h"}});
  create("reader", {{"handler", "a"}, {"queue", "busy"}, {"concurrency_key", "k"}});
  create("reader", {{"handler", "a"}, {"queue", "busy"}, {"concurrency_key", "k"}});
  lease("busy");
  create("globex", {{"handler", "a"}, {"queue", "theirs"}});

  const Json queues = get("viewer", "/v1/queues").json()["queues"];

  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(queues[0]["name"], "busy");
  EXPECT_EQ(queues[0]["depth"], (Json{{"ready", 1}, {"waiting", 1}, {"blocked", 1}, {"running", 1}}));
  EXPECT_EQ(queues[1]["name"], "quiet");
}

TEST_F(Queues, TellHowMuchGoesThroughThem) {
  const Time begun = clock_.now();
  for (int i = 0; i < 3; ++i) create("reader", {{"handler", "a"}, {"queue", "mail"}, {"max_attempts", 1}});
  complete(lease("mail")["attempt_id"], {{"result", result}});
  clock_.advance(10min);
  fail(lease("mail")["attempt_id"]);
  complete(lease("mail")["attempt_id"], {{"result", result}});

  const Json rates = queue("mail")["rates"];

  EXPECT_EQ(rates["since"], to_rfc3339(begun));
  EXPECT_EQ(rates["minute"], counts(0, 2, 1, 1, 0));
  EXPECT_EQ(rates["hour"], counts(3, 3, 2, 1, 0));
  EXPECT_EQ(rates["history"]["interval"], "1m");
  ASSERT_EQ(rates["history"]["created"].size(), 60u);
  EXPECT_EQ(rates["history"]["created"][49], 3);
  EXPECT_EQ(rates["history"]["completed"][49], 1);
  EXPECT_EQ(rates["history"]["started"][59], 2);
  EXPECT_EQ(rates["history"]["failed"][59], 1);
  EXPECT_EQ(queue("mail", "globex")["rates"]["hour"], counts(0, 0, 0, 0, 0)) << "another tenant";
}

TEST_F(Queues, AnEmptyOneIsListedAsLongAsItsHourTellsSomething) {
  create("reader", {{"handler", "a"}, {"queue", "mail"}});
  complete(lease("mail")["attempt_id"], {{"result", result}});

  const Json queues = get("viewer", "/v1/queues").json()["queues"];
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(queues[0]["rates"]["hour"], counts(1, 1, 1, 0, 0));
  EXPECT_FALSE(queues[0]["rates"].contains("history")) << "it was not asked for";
  const Json longer = get("viewer", "/v1/queues?history=true").json()["queues"];
  EXPECT_EQ(longer[0]["rates"]["history"]["completed"][59], 1);
  EXPECT_EQ(get("viewer", "/v1/queues?history=yes").status, 400);
  EXPECT_EQ(get("viewer", "/v1/queues?histroy=true").status, 400);

  clock_.advance(1h);
  EXPECT_EQ(get("viewer", "/v1/queues").json()["queues"], Json::array());
}

TEST_F(Queues, ARunIsNoTaskOfItsQueue) {
  const Json steps{{{"name", "pay"}, {"handler", "pay"}}, {{"name", "ship"}, {"handler", "ship"}}};
  put_template("order", {{"queue", "orders"}, {"steps", steps}});
  create("reader", {{"namespace", "shop"}, {"name", "order"}});
  for (int i = 0; i < 2; ++i) complete(lease("orders")["attempt_id"], {{"result", result}});

  EXPECT_EQ(queue("orders")["rates"]["hour"], counts(2, 2, 2, 0, 0));
}

TEST_F(Queues, OnlyAdministratorsChangeThem) {
  EXPECT_EQ(put("mail", {{"max_running", 1}}, "reader").status, 403);
  EXPECT_EQ(post("worker", "/v1/queues/mail/pause", Json::object()).status, 403);
  EXPECT_EQ(get("worker", "/v1/queues/mail").status, 403);
  EXPECT_EQ(get("worker", "/v1/queues").status, 403);
}

TEST_F(Queues, RefuseWhatMakesNoSense) {
  const std::pair<Json, const char*> cases[] = {
      {{{"rate_limit", "fast"}}, "rate_limit must be a count"},
      {{{"rate_limit", 5}}, "rate_limit: expected a string"},
      {{{"max_running", "5"}}, "max_running: expected "},
      {{{"max_running", -1}}, "max_running must be a whole number from 0 to 1000000"},
      {{{"rate_burst", 5}}, "rate_burst needs a rate_limit"},
      {{{"retain", "1d"}}, "unknown field 'retain'"},
  };
  for (const auto& [settings, refusal] : cases) {
    const HttpAnswer answer = put("mail", settings);
    EXPECT_EQ(answer.status, 400) << settings;
    EXPECT_THAT(answer.json()["error"]["message"].get<std::string>(), testing::StartsWith(refusal));
  }
  EXPECT_EQ(put("a%20b", Json::object()).status, 400);
  EXPECT_EQ(queue("mail")["set"], Json::object());
}

TEST_F(Queues, AWorkerThatWaitsIsWokenWhenItsQueueIsResumed) {
  pause("default");
  const std::string id = create("reader", {{"handler", "a"}});
  EXPECT_TRUE(lease("default").is_null());
  HttpClient worker = waiting_worker();

  EXPECT_EQ(pause("default", "resume").json()["paused"], false);

  EXPECT_EQ(worker.read().json()["leases"][0]["task_uuid"], id);
}

TEST_F(Queues, AWorkerThatWaitsIsWokenWhenAPlaceIsFree) {
  put("default", {{"max_running", 1}});
  create("reader", {{"handler", "a"}});
  const std::string second = create("reader", {{"handler", "a"}});
  const Json first = lease("default");
  EXPECT_TRUE(lease("default").is_null());
  HttpClient worker = waiting_worker();

  complete(first["attempt_id"], Json::object());

  EXPECT_EQ(worker.read().json()["leases"][0]["task_uuid"], second);
}

TEST_F(Queues, AWorkerThatWaitsIsWokenWhenATokenComes) {
  put("default", {{"rate_limit", "1/min"}});
  create("reader", {{"handler", "a"}});
  const std::string second = create("reader", {{"handler", "a"}});
  lease("default");
  EXPECT_TRUE(lease("default").is_null());
  HttpClient worker = waiting_worker();

  clock_.advance(1min);
  maintain();

  EXPECT_EQ(worker.read().json()["leases"][0]["task_uuid"], second);
}

TEST_F(Queues, AWorkerThatWaitsIsWokenWhenTheTaskBeforeOfTheKeyEnds) {
  create("reader", {{"handler", "a"}, {"concurrency_key", "customer-7"}});
  const std::string second = create("reader", {{"handler", "a"}, {"concurrency_key", "customer-7"}});
  const Json first = lease("default");
  HttpClient worker = waiting_worker();

  complete(first["attempt_id"], Json::object());

  EXPECT_EQ(worker.read().json()["leases"][0]["task_uuid"], second);
  EXPECT_EQ(task(second)["concurrency_key"], "customer-7");
}

TEST_F(Queues, ReuseAndWindowOfAQueueHoldForItsTasks) {
  put("default", {{"reuse", "allow_duplicate"}});
  const Json submission{{"handler", "a"}, {"idempotency_key", "k"}};
  create("reader", submission);
  complete(lease("default")["attempt_id"], Json::object());
  create("reader", submission);  // a completed one may be followed
  complete(lease("default")["attempt_id"], Json::object());

  put("default", {{"dedup_window", "1h"}});
  EXPECT_EQ(submit("reader", submission).status, 409);

  const Json explained = post("reader", "/v1/identity/explain", submission).json();
  EXPECT_EQ(explained["answer"], "409 CONFLICT") << explained;
  EXPECT_EQ(explained["identity"]["window"], "1h after closing");
}

}  // namespace
}  // namespace semel::test
