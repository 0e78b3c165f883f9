#include "tests/grpc/parity_fixture.hpp"

namespace semel::test {
namespace {

TEST_F(Parity, OfWhatASubmissionMaySay) {
  const Json all{{"handler", "charge"},
                 {"queue", "q"},
                 {"context", {{"order", 17}, {"text", "é\u0000\n"}}},
                 {"idempotency_key", "k1"},
                 {"idempotency_key_ttl_seconds", 3600},
                 {"priority", -7},
                 {"priority_seconds", 60},
                 {"delay", "5s"},
                 {"max_attempts", 4},
                 {"retry", {{"backoff", "linear"}, {"base", "2s"}, {"cap", "1m"}, {"jitter", 0.25}}},
                 {"timeout_ms", 1234},
                 {"deadline", "2h"},
                 {"concurrency_key", "customer-1"},
                 {"reuse", "reject_duplicate"},
                 {"on_duplicate", "describe"},
                 {"on_payload_mismatch", "ignore"},
                 {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
                 {"labels", {{"team", "billing"}, {"eu", ""}}}};

  expect_same_task(submit_both(all));
  expect_same_task(submit_both({{"handler", "charge"}, {"run_at", "2031-01-20T12:30:00Z"}, {"max_retries", 2}}));
  expect_same_task(submit_both({{"handler", "charge"}, {"task_id", "t1"}, {"context", nullptr}}));
  expect_same_task(submit_both({{"handler", "charge"}, {"deadline", "2031-01-20T12:30:00Z"}}));
}

TEST_F(Parity, OfWhatIsRefused) {
  for (const Json& bad : std::vector<Json>{
           Json::object(),
           {{"handler", "a"}, {"name", "b"}},
           {{"handler", "a b"}},
           {{"handler", "a"}, {"queue", ""}},
           {{"handler", "a"}, {"namespace", "shop"}},
           {{"handler", "a"}, {"version", "1.0.0"}},
           {{"name", "a"}, {"version", "one"}},
           {{"name", "nobody"}},
           {{"handler", "a"}, {"idempotency_key", ""}},
           {{"handler", "a"}, {"idempotency_key", std::string(256, 'k')}},
           {{"handler", "a"}, {"idempotency_key", "a\nb"}},
           {{"handler", "a"}, {"idempotency_key", "a"}, {"task_id", "b"}},
           {{"handler", "a"}, {"idempotency_key_ttl_seconds", 10}},
           {{"handler", "a"}, {"idempotency_key", "k"}, {"idempotency_key_ttl_seconds", 0}},
           {{"handler", "a"}, {"task_uuid", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"}},
           {{"handler", "a"}, {"task_uuid", "no"}},
           {{"handler", "a"}, {"priority", 101}},
           {{"handler", "a"}, {"priority_seconds", 999'999'999}},
           {{"handler", "a"}, {"max_attempts", 0}},
           {{"handler", "a"}, {"max_attempts", 2}, {"max_retries", 2}},
           {{"handler", "a"}, {"timeout_ms", 0}},
           {{"handler", "a"}, {"delay", "1s"}, {"run_at", "2031-01-20T12:30:00Z"}},
           {{"handler", "a"}, {"concurrency_key", ""}},
           {{"handler", "a"}, {"traceparent", "00-xyz"}},
           {{"handler", "a"}, {"labels", {{"", "v"}}}},
           {{"handler", "a"}, {"labels", {{"a", std::string(2'000, 'v')}}}},
           {{"handler", "a"}, {"wait", "61s"}},
           {{"handler", "a"}, {"requested_at", "1999-01-20T12:30:00Z"}},
           {{"handler", "a"}, {"context", std::string((1 << 20) + 1, 'x')}},
       })
    submit_both(bad);
}

TEST_F(Parity, OfWhatADuplicateGetsInEveryStateAndMode) {
  for (const State state : {State::pending, State::running, State::completed, State::failed}) {
    const std::string name(domain::name_of(state));
    const Json keyed{{"handler", "charge"}, {"queue", name}, {"idempotency_key", name}, {"context", {{"a", 1}}}};
    submit_both(keyed);
    if (state == State::completed) end_both(name, "/complete", {{"result", result}});
    if (state == State::failed) end_both(name, "/fail", {{"error", failure}});
    if (state == State::running) {
      for (const std::string key : {"admin", "globex"}) lease(name, key);
    }
    for (const std::string mode : {"reject", "describe", "return_existing"}) {
      Json again = keyed;
      again["on_duplicate"] = mode;
      again["reuse"] = "reject_duplicate";
      submit_both(again);
      Json other_content = again;
      other_content["context"] = {{"a", 2}};
      submit_both(other_content);
      other_content["on_payload_mismatch"] = "ignore";
      submit_both(other_content);
      Json other_handler = again;
      other_handler["handler"] = "refund";
      submit_both(other_handler);
    }
  }
}

TEST_F(Parity, OfATakeover) {
  const Json keyed{{"handler", "charge"}, {"idempotency_key", "k"}};
  submit_both(keyed);
  end_both("default", "/fail", {{"error", failure}});

  const Ids second = submit_both(keyed);

  expect_same_task(second);
}

TEST_F(Parity, OfATaskThroughItsLife) {
  const Ids ids =
      submit_both({{"handler", "charge"}, {"queue", "life"}, {"max_attempts", 2}, {"retry", {{"base", "0"}}}});
  expect_same_task(ids);
  end_both("life", "/fail", {{"error", failure}});
  maintain();
  expect_same_task(ids);
  for (const std::string key : {"admin", "globex"}) {
    const std::string attempt = lease("life", key)["attempt_id"];
    post(key, "/v1/attempts/" + attempt + "/heartbeat", {{"progress", 0.5}, {"message", "half"}});
  }
  expect_same_task(ids);
}

TEST_F(Parity, OfResults) {
  const auto both = [&](const Ids& ids) {
    const HttpAnswer rest = get("admin", "/v1/tasks/" + ids.rest + "/result");
    const auto rpc = ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::AwaitResult, "globex",
                             make<v1::AwaitResultRequest>({{"task_uuid", ids.rpc}, {"wait", "0"}}));
    expect_same(rest, rpc, rpc.json());
  };
  const Ids open = submit_both({{"handler", "charge"}, {"queue", "other"}});
  both(open);
  for (const Json& value : std::vector<Json>{{{"receipt", 1}}, nullptr}) {
    const Ids ids = submit_both({{"handler", "charge"}});
    end_both("default", "/complete", {{"result", value}});
    both(ids);
  }
  const Ids nothing = submit_both({{"handler", "charge"}});
  end_both("default", "/complete", Json::object());
  both(nothing);
  const Ids failed = submit_both({{"handler", "charge"}});
  end_both("default", "/fail", {{"error", failure}});
  both(failed);
  both({"019bddae-b818-7d82-b7c5-bd42e5db27fc", "019bddae-b818-7d82-b7c5-bd42e5db27fc"});
  both({"no", "no"});
}

TEST_F(Parity, OfKeys) {
  submit_both({{"handler", "charge"}, {"idempotency_key", "k"}});
  for (const std::string key : {"k", "other"}) {
    const HttpAnswer rest = get("admin", "/v1/tasks/by-key?key=" + key);
    const auto rpc = ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::FindTaskByKey, "globex",
                             make<v1::FindTaskByKeyRequest>({{"key", key}}));
    Json flat = rpc.json();  // REST has the task's members beside `held`
    if (flat.contains("task")) flat.update(flat["task"]);
    flat.erase("task");
    expect_same(rest, rpc, flat);
  }
}

TEST_F(Parity, OfListsCancellationsAndRetries) {
  const Ids first = submit_both({{"handler", "charge"}, {"labels", {{"a", "1"}}}});
  submit_both({{"handler", "refund"}, {"queue", "other"}});
  const auto list = [&](const std::string& query, const Json& request) {
    const HttpAnswer rest = get("admin", "/v1/tasks" + query);
    const auto rpc =
        ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::ListTasks, "globex", make<v1::ListTasksRequest>(request));
    Json body = rpc.json();
    if (!body.contains("tasks")) body["tasks"] = Json::array();
    body.erase("next_cursor");
    Json expected = rest.json();
    expected.erase("next_cursor");
    EXPECT_EQ(rest.json().contains("next_cursor"), rpc.response.has_next_cursor());
    if (rest.status < 400) EXPECT_EQ(masked(body), masked(expected));
    else EXPECT_EQ(refusal(rpc.error()), rest_refusal(rest));
  };
  list("", Json::object());
  list("?limit=1", {{"limit", 1}});
  list("?queue=other&handler=refund", {{"queue", "other"}, {"handler", "refund"}});
  list("?label=a=1", {{"labels", {{"a", "1"}}}});
  list("?status=running&status=completed", {{"status", {"running", "completed"}}});
  list("?limit=0", {{"limit", 0}});
  for (const std::string key : {"admin", "globex"}) lease("other", key);
  list("?queue=other&leases=true", {{"queue", "other"}, {"leases", true}});
  list("?cursor=nonsense", {{"cursor", "nonsense"}});

  for (int i = 0; i < 2; ++i) {
    const HttpAnswer rest = post("admin", "/v1/tasks/" + first.rest + "/cancel", Json::object());
    const auto rpc = ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::CancelTask, "globex",
                             make<v1::CancelTaskRequest>({{"task_uuid", first.rpc}}));
    expect_same(rest, rpc, rpc.json());
  }
  for (int i = 0; i < 2; ++i) {
    const HttpAnswer rest = post("admin", "/v1/tasks/" + first.rest + "/retry", Json::object());
    const auto rpc = ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::RetryTask, "globex",
                             make<v1::RetryTaskRequest>({{"task_uuid", first.rpc}}));
    expect_same(rest, rpc, rpc.json());
  }
}

TEST_F(Parity, OfBatches) {
  const Json tasks{{{"handler", "a"}, {"idempotency_key", "1"}},
                   {{"handler", "a"}, {"idempotency_key", "1"}},
                   {{"handler", "a"}, {"idempotency_key", "1"}, {"on_duplicate", "describe"}},
                   {{"handler", "a b"}},
                   {{"handler", "a"}, {"wait", "1s"}},
                   {{"handler", "b"}}};
  const HttpAnswer rest = post("admin", "/v1/tasks:batch", {{"tasks", tasks}});

  const auto rpc = ask_rpc(*this->rpc().tasks, &v1::TaskService::Stub::SubmitTasks, "globex",
                           make<v1::SubmitTasksRequest>({{"tasks", tasks}, {"batch_id", 7}}));

  ASSERT_TRUE(rpc.ok());
  EXPECT_EQ(rpc.response.batch_id(), 7u);
  const Json expected = rest.json()["results"];
  ASSERT_EQ(rpc.response.results_size(), static_cast<int>(expected.size()));
  for (int i = 0; i < rpc.response.results_size(); ++i) {
    const v1::SubmitTaskResult& each = rpc.response.results(i);
    const Json& body = expected[static_cast<std::size_t>(i)]["body"];
    if (body.contains("error")) {
      EXPECT_EQ(masked(refusal(each.error())), masked(body["error"]));
      continue;
    }
    Json task = to_json(each.task());
    task.erase("created");
    EXPECT_EQ(masked(task), masked(body));
  }
}

TEST_F(Parity, OfQueuesTemplatesAndIdentities) {
  const Json options{{"retention", "3d"},        {"rate_limit", "100/sec"},  {"rate_burst", 5},
                     {"max_running", 3},         {"max_running_per_key", 2}, {"reuse", "allow_duplicate"},
                     {"dedup_window", "forever"}};
  const auto put = ask_rpc(*this->rpc().admin, &v1::AdminService::Stub::PutQueue, "globex",
                           make<v1::PutQueueRequest>({{"name", "mail"}, {"options", options}}));
  expect_same(ask({"PUT", "/v1/queues/mail", "admin", options.dump()}), put, put.json());
  const auto paused = ask_rpc(*this->rpc().admin, &v1::AdminService::Stub::PauseQueue, "globex",
                              make<v1::PauseQueueRequest>({{"name", "mail"}}));
  expect_same(post("admin", "/v1/queues/mail/pause", Json::object()), paused, paused.json());
  const auto queue = ask_rpc(*this->rpc().admin, &v1::AdminService::Stub::GetQueue, "globex",
                             make<v1::GetQueueRequest>({{"name", "mail"}}));
  expect_same(get("admin", "/v1/queues/mail"), queue, queue.json());
  const auto bad = ask_rpc(*this->rpc().admin, &v1::AdminService::Stub::PutQueue, "globex",
                           make<v1::PutQueueRequest>({{"name", "mail"}, {"options", {{"rate_limit", "often"}}}}));
  expect_same(ask({"PUT", "/v1/queues/mail", "admin", R"({"rate_limit":"often"})"}), bad, bad.json());

  const Json document{{"namespace", "shop"}, {"name", "charge"}, {"version", "1.0.0"}, {"queue", "mail"}};
  const auto stored = ask_rpc(*this->rpc().admin, &v1::AdminService::Stub::PutTemplate, "globex",
                              make<v1::PutTemplateRequest>({{"document", document}}));
  expect_same(ask({"PUT", "/v1/templates", "admin", document.dump()}), stored, stored.json());

  const Json named{{"namespace", "shop"}, {"name", "charge"}, {"context", {{"a", 1}}}};
  const Ids ids = submit_both(named);
  expect_same_task(ids);
  const auto explained = ask_rpc(*this->rpc().admin, &v1::AdminService::Stub::ExplainIdentity, "globex",
                                 make<v1::SubmitTaskRequest>(named));
  Json rest = post("admin", "/v1/identity/explain", named).json();
  Json told = explained.json();
  EXPECT_EQ(told["grpc_status"], static_cast<int>(grpc::StatusCode::ALREADY_EXISTS));
  EXPECT_EQ(told["code"], "CONFLICT");
  EXPECT_EQ(rest["answer"], "409 CONFLICT");
  for (const char* name : {"grpc_status", "code"}) told.erase(name);
  for (const char* name : {"status", "answer"}) rest.erase(name);
  EXPECT_EQ(masked(told), masked(rest));
}

}  // namespace
}  // namespace semel::test
