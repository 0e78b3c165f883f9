#include <set>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// POST /v1/tasks:batch: one answer each, in order, each succeeding or failing alone.
namespace semel::test {
namespace {

class Batch : public ServerFixture {
 protected:
  HttpAnswer send(const Json& tasks, const std::string& key = "reader") {
    return post(key, "/v1/tasks:batch", {{"tasks", tasks}});
  }
  HttpAnswer send_text(const std::string& body) { return ask({"POST", "/v1/tasks:batch", "reader", body}); }

  static Json keyed(const std::string& key, const Json& context = Json::object()) {
    return {{"handler", "charge"}, {"idempotency_key", key}, {"context", context}};
  }
  static Json statuses(const HttpAnswer& answer) {
    Json all = Json::array();
    const Json body = answer.json();
    for (const Json& each : body.value("results", Json::array())) all.push_back(each["status"]);
    return all;
  }
};

TEST_F(Batch, TheFirstOfAnIdentityWinsAndTheNextIsItsDuplicate) {
  Json again = keyed("k");
  again["on_duplicate"] = "return_existing";

  const HttpAnswer answer = send({keyed("k"), keyed("l"), again, keyed("k"), keyed("k", 2)});

  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(statuses(answer), (Json{201, 201, 200, 409, 422}));
  const Json results = answer.json()["results"];
  EXPECT_EQ(results[2]["body"]["task_uuid"], results[0]["body"]["task_uuid"]);
  EXPECT_EQ(results[3]["body"], Json::parse(opaque_body));
}

TEST_F(Batch, ContextsOfAStrictTemplateAreIdentitiesToo) {
  put_template("charge");
  const auto of = [](const Json& context) {
    return Json{{"namespace", "shop"}, {"name", "charge"}, {"context", context}};
  };

  EXPECT_EQ(statuses(send({of({{"a", 1}}), of({{"a", 2}}), of({{"a", 1}})})), (Json{201, 201, 409}));
}

TEST_F(Batch, ClientMadeIdsMeetWithinABatch) {
  Json task{{"handler", "charge"}, {"task_uuid", "019bddae-b818-7d82-b7c5-bd42e5db27fc"}, {"context", 1}};
  Json different = task;
  different["context"] = 2;

  EXPECT_EQ(statuses(send({task, task, different})), (Json{201, 200, 422}));
}

TEST_F(Batch, ABadElementHarmsOnlyItself) {
  put_template("pay", {{"identity_strategy", "caller_provided"}});
  create("reader", keyed("held"));
  Json waiting = keyed("w");
  waiting["wait"] = "5s";

  const HttpAnswer answer = send({keyed("a"),
                                  {{"handlr", "x"}},
                                  keyed("held"),
                                  17,
                                  {{"name", "unknown"}},
                                  {{"namespace", "shop"}, {"name", "pay"}},
                                  keyed(""),
                                  waiting,
                                  keyed("b")});

  EXPECT_EQ(statuses(answer), (Json{201, 400, 409, 400, 404, 400, 400, 400, 201}));
  const Json results = answer.json()["results"];
  EXPECT_EQ(results[1]["body"]["error"]["message"], "unknown field 'handlr'; did you mean 'handler'?");
  EXPECT_EQ(results[5]["body"]["error"]["code"], "BAD_REQUEST");
  EXPECT_NE(results[7]["body"]["error"]["message"].get<std::string>().find("wait is not allowed in a batch"),
            std::string::npos);
}

TEST_F(Batch, AnElementThatBreaksARuleOfJsonNotOfGrammarFailsAlone) {
  std::string deep = "1";
  for (int i = 0; i < 129; ++i) deep = "[" + deep + "]";

  const HttpAnswer answer = send_text(R"({"tasks":[{"handler":"a","context":{"x":1,"x":2}},{"handler":"a","context":)" +
                                      deep + R"(},{"handler":"a"}]})");

  EXPECT_EQ(statuses(answer), (Json{400, 400, 201}));
}

TEST_F(Batch, OfAThousandIsAnsweredInOrder) {
  Json tasks = Json::array();
  for (int i = 0; i < 1000; ++i) tasks.push_back(keyed("order-" + std::to_string(i), i));

  const HttpAnswer answer = send(tasks);

  const Json results = answer.json()["results"];
  ASSERT_EQ(results.size(), 1000u) << answer.body.substr(0, 300);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i]["status"], 201);
    EXPECT_EQ(results[i]["body"]["task_id"], "order-" + std::to_string(i));
    ids.insert(results[i]["body"]["task_uuid"]);
  }
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_EQ(statuses(send({tasks[999], tasks[0], keyed("new")})), (Json{409, 409, 201}));
}

TEST_F(Batch, IsRefusedAsAWholeWhenItIsNoBatch) {
  Json too_many = Json::array();
  for (int i = 0; i < 1001; ++i) too_many.push_back({{"handler", "a"}});
  struct Case {
    std::string body;
    const char* words;
  };
  const std::vector<Case> cases{
      {R"({"tasks":[]})", "tasks must be an array of 1 to 1000"},
      {"", "tasks must be an array of 1 to 1000"},
      {Json{{"tasks", too_many}}.dump(), "at most 1000"},
      {R"({"tasks":{}})", "tasks"},
      {R"({"task":[]})", "did you mean 'tasks'?"},
      {R"([{"handler":"a"}])", "object"},
      {R"({"tasks":[{"handler":"a"},]})", "byte"},
      {R"({"tasks":[{"handler":"a"}]} x)", "byte"},
      {"{\"tasks\":[{\"handler\":\"a\",\"context\":\"\xFF\"}]}", "UTF-8"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.body.substr(0, 60));
    expect_refusal(send_text(each.body), 400, "BAD_REQUEST", each.words);
  }
  EXPECT_EQ(lease("default"), Json());
}

TEST_F(Batch, TakesNoKeyInItsHeader) {
  const HttpAnswer answer =
      ask({"POST", "/v1/tasks:batch", "reader", R"({"tasks":[{"handler":"a"}]})", {{"Idempotency-Key", "k"}}});

  expect_refusal(answer, 400, "BAD_REQUEST", "give each task its own idempotency_key");
}

TEST_F(Batch, MayBeSixteenMebibytesLong) {
  const std::string big(900'000, 'x');
  Json tasks = Json::array();
  for (int i = 0; i < 18; ++i) tasks.push_back({{"handler", "a"}, {"context", big}});

  EXPECT_EQ(send(tasks).status, 200);
  tasks.push_back(tasks[0]);
  expect_refusal(send(tasks), 413, "PAYLOAD_TOO_LARGE", "16777216 bytes");
}

}  // namespace
}  // namespace semel::test
