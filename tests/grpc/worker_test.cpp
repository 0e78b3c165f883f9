#include <set>
#include <thread>

#include "tests/grpc/worker_fixture.hpp"

/// WorkerService.Connect.
namespace semel::test {
namespace {

TEST_F(GrpcWorker, GetsALeaseWithAllThatRestSaysOfOneAndEndsIt) {
  const std::string id = create("admin", {{"handler", "charge"},
                                          {"idempotency_key", "k"},
                                          {"context", {{"n", 1}}},
                                          {"labels", {{"team", "a"}}},
                                          {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}});
  WorkerClient worker(rpc());
  worker.hello(1);

  const std::vector<v1::Lease> leases = worker.leases(1);

  ASSERT_EQ(leases.size(), 1u);
  const Json lease = to_json(leases[0]);
  EXPECT_EQ(lease["task_uuid"], id);
  EXPECT_EQ(lease["task_id"], "k");
  EXPECT_EQ(lease["effect_key"], id);
  EXPECT_EQ(lease["context"], (Json{{"n", 1}}));
  EXPECT_EQ(lease["labels"], (Json{{"team", "a"}}));
  EXPECT_EQ(lease["attempt"], 1);
  EXPECT_EQ(lease["dispatch_id"], task(id)["attempts"][0]["dispatch_id"]);
  EXPECT_EQ(lease["external_id"], task(id)["attempts"][0]["external_id"]);
  EXPECT_EQ(lease["lease_expires_at"], task(id)["attempts"][0]["lease_expires_at"]);

  worker.send({{"outcomes", {complete_of(leases[0].attempt_id())}}});
  const v1::OutcomeAnswer answer = worker.outcome();
  EXPECT_EQ(answer.attempt_id(), leases[0].attempt_id());
  EXPECT_EQ(answer.recorded().task_uuid(), id);
  EXPECT_EQ(answer.recorded().status(), v1::TASK_STATUS_COMPLETED);
  EXPECT_EQ(task(id)["result"], result);
}

TEST_F(GrpcWorker, ExactNumbersPassBothWays) {
  v1::SubmitTaskRequest request;
  request.set_handler("charge");
  request.set_context(R"({"n":9007199254740993,"x":0.1000})");
  const auto created = ask_rpc(*rpc().tasks, &v1::TaskService::Stub::SubmitTask, "admin", request);
  WorkerClient worker(rpc());
  worker.hello(1);
  const std::vector<v1::Lease> leases = worker.leases(1);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].context(), request.context());

  v1::WorkerMessage done;
  v1::Outcome& outcome = *done.add_outcomes();
  outcome.set_attempt_id(leases[0].attempt_id());
  outcome.mutable_complete()->set_result("123456789012345678901234567890.10");
  worker.send(done);
  worker.outcome();

  EXPECT_EQ(get_rpc("admin", created.response.task_uuid()).response.result(), "123456789012345678901234567890.10");
}

TEST_F(GrpcWorker, GetsSlotsBackThatAreFree) {
  WorkerClient worker(rpc());
  worker.hello(3);

  worker.send({{"slots_back", 2}});

  const std::optional<v1::ServerMessage> answer = worker.read();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->slots_back(), 2u);
  create_many(3);
  EXPECT_EQ(worker.leases(1).size(), 1u);
  worker.close();
  EXPECT_TRUE(worker.leases(1).empty()) << "it had one slot left";
}

TEST_F(GrpcWorker, IsToldThatSlotsAreTakenWhenItWantsThemBack) {
  create_many(2);
  WorkerClient worker(rpc());
  worker.hello(2);
  ASSERT_EQ(worker.leases(2).size(), 2u);

  worker.send({{"slots_back", 1}});

  const std::optional<v1::ServerMessage> answer = worker.read();
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->has_slots_back());
  EXPECT_EQ(answer->slots_back(), 0u);
}

TEST_F(GrpcWorker, IsNeverSentMoreThanItHasSlotsFor) {
  create_many(10);
  WorkerClient worker(rpc());
  worker.hello(3);
  const std::vector<v1::Lease> first = worker.leases(3);
  ASSERT_EQ(first.size(), 3u);

  // An outcome that gives no slot back is answered, and no lease comes with it or before it.
  worker.send({{"outcomes", {complete_of(first[0].attempt_id())}}});
  const std::optional<v1::ServerMessage> answer = worker.read();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->outcomes_size(), 1);
  EXPECT_EQ(answer->leases_size(), 0);
  EXPECT_EQ(get("admin", "/v1/queues/default").json()["depth"]["ready"], 7);

  worker.send({{"slots", 2}});
  EXPECT_EQ(worker.leases(2).size(), 2u);
  EXPECT_EQ(get("admin", "/v1/queues/default").json()["depth"]["ready"], 5);
}

TEST_F(GrpcWorker, OutcomesAndSlotsInOneMessageBringTheNextLeases) {
  create_many(4);
  WorkerClient worker(rpc());
  worker.hello(2);
  std::set<std::string> seen;
  std::vector<v1::Lease> leases = worker.leases(2);

  v1::WorkerMessage message = make<v1::WorkerMessage>({{"slots", 2}});
  for (const v1::Lease& lease : leases) {
    seen.insert(lease.task_uuid());
    from_json(*message.add_outcomes(), complete_of(lease.attempt_id()));
  }
  worker.send(message);
  for (const v1::Lease& lease : worker.leases(2)) seen.insert(lease.task_uuid());

  EXPECT_EQ(seen.size(), 4u);
}

TEST_F(GrpcWorker, ThatWaitsGetsATaskWhenItComes) {
  WorkerClient worker(rpc());
  worker.hello(1);
  worker.send({{"heartbeats", {{{"attempt_id", "019bddae-b818-7d82-b7c5-bd42e5db27fc"}}}}});
  EXPECT_EQ(worker.read()->heartbeats_size(), 1);  // from here on it waits

  const std::string id = create("admin", {{"handler", "charge"}});

  const std::vector<v1::Lease> leases = worker.leases(1);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].task_uuid(), id);
}

TEST_F(GrpcWorker, AsksForItsQueuesAndHandlersOnly) {
  create("admin", {{"handler", "refund"}, {"queue", "a"}});
  create("admin", {{"handler", "charge"}, {"queue", "b"}});
  const std::string id = create("admin", {{"handler", "charge"}, {"queue", "a"}});
  WorkerClient worker(rpc());
  worker.send({{"hello",
                {{"worker_id", "w"},
                 {"queues", {"a", "c"}},
                 {"handlers", {"charge"}},
                 {"weights", {{"a", 3}}},
                 {"lease_ms", 5000}}},
               {"slots", 3}});

  const std::vector<v1::Lease> leases = worker.leases(1);

  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].task_uuid(), id);
  EXPECT_EQ(to_json(leases[0])["lease_expires_at"], to_rfc3339(clock_.now() + 5s));
}

TEST_F(GrpcWorker, HeartbeatsExtendTheLeaseAndTellOfACancellation) {
  const std::string id = create("admin", {{"handler", "charge"}});
  WorkerClient worker(rpc());
  worker.hello(1);
  const std::string attempt = worker.leases(1).at(0).attempt_id();
  clock_.advance(10s);
  cancel(id);

  worker.send({{"heartbeats",
                {{{"attempt_id", attempt}, {"progress", 0.25}, {"message", "a quarter"}},
                 {{"attempt_id", attempt}, {"progress", 2.0}},
                 {{"attempt_id", "no"}}}}});
  std::vector<v1::HeartbeatAnswer> answers;
  while (answers.size() < 3) {
    const std::optional<v1::ServerMessage> message = worker.read();
    ASSERT_TRUE(message.has_value());
    answers.insert(answers.end(), message->heartbeats().begin(), message->heartbeats().end());
  }

  for (const v1::HeartbeatAnswer& answer : answers) {
    if (answer.has_extended()) {
      EXPECT_TRUE(answer.extended().should_cancel());
      EXPECT_EQ(to_json(answer)["extended"]["lease_expires_at"], to_rfc3339(clock_.now() + 30s));
    } else {
      EXPECT_EQ(answer.error().code(), "BAD_REQUEST");
    }
  }
  EXPECT_EQ(task(id)["progress"]["done"], 0.25);
}

TEST_F(GrpcWorker, AFailureIsStoredAsRestStoresIt) {
  const std::string id = create("admin", {{"handler", "charge"}});
  WorkerClient worker(rpc());
  worker.hello(1);
  const std::string attempt = worker.leases(1).at(0).attempt_id();

  worker.send({{"outcomes",
                {{{"attempt_id", attempt},
                  {"fail", {{"type", "DECLINED"}, {"message", "card \"x\""}, {"details", {{"b", 1}, {"a", 2}}}}}}}}});

  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_FAILED);
  EXPECT_EQ(task(id)["error"],
            (Json{{"type", "DECLINED"}, {"message", "card \"x\""}, {"details", {{"a", 2}, {"b", 1}}}}));
}

TEST_F(GrpcWorker, OutcomesAreRefusedOneByOneAndRepeatedOnesAreKnown) {
  create_many(2);
  WorkerClient worker(rpc());
  worker.hello(2);
  const std::vector<v1::Lease> leases = worker.leases(2);
  v1::WorkerMessage message;
  from_json(*message.add_outcomes(), complete_of(leases[0].attempt_id()));
  from_json(*message.add_outcomes(), complete_of("019bddae-b818-7d82-b7c5-bd42e5db27fc"));
  from_json(*message.add_outcomes(), complete_of("no"));
  message.add_outcomes()->set_attempt_id(leases[1].attempt_id());
  v1::Outcome& broken = *message.add_outcomes();
  broken.set_attempt_id(leases[1].attempt_id());
  broken.mutable_complete()->set_result("{1}");

  worker.send(message);
  std::vector<v1::OutcomeAnswer> answers;
  while (answers.size() < 5) {
    const std::optional<v1::ServerMessage> answer = worker.read();
    ASSERT_TRUE(answer.has_value());
    answers.insert(answers.end(), answer->outcomes().begin(), answer->outcomes().end());
  }

  EXPECT_EQ(answers[0].recorded().status(), v1::TASK_STATUS_COMPLETED);
  EXPECT_EQ(answers[1].error().code(), "STALE_ATTEMPT");
  EXPECT_EQ(answers[1].error().grpc_status(), static_cast<int>(grpc::StatusCode::FAILED_PRECONDITION));
  EXPECT_EQ(answers[2].error().message(), "'no' is not a UUID");
  EXPECT_EQ(answers[3].error().message(), "exactly one of complete, fail and activation is required");
  EXPECT_NE(answers[4].error().message().find("result: "), std::string::npos);
  worker.send({{"outcomes", {complete_of(leases[0].attempt_id())}}});
  EXPECT_TRUE(worker.outcome().recorded().already_recorded());
}

TEST_F(GrpcWorker, ReconnectsAndEndsWhatItHadBefore) {
  const std::string id = create("admin", {{"handler", "charge"}});
  std::string attempt;
  {
    WorkerClient worker(rpc());
    worker.hello(1);
    attempt = worker.leases(1).at(0).attempt_id();
    worker.cancel();
    EXPECT_EQ(worker.finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  EXPECT_EQ(status_of(id), "running");

  RpcClient again(instance().grpc_address());
  WorkerClient worker(again);
  worker.hello(0);
  worker.send({{"heartbeats", {{{"attempt_id", attempt}}}}});
  EXPECT_TRUE(worker.read()->heartbeats(0).has_extended());
  worker.send({{"outcomes", {complete_of(attempt)}}});

  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_COMPLETED);
  EXPECT_EQ(status_of(id), "completed");
}

/// The claim is in the commit queue when its worker goes; the leases that it brings belong to somebody else at once.
TEST_F(GrpcWorker, WhatItCouldNotBeSentIsGivenBackWhenItsStreamBreaks) {
  const std::vector<std::string> ids = create_many(3);
  {
    std::shared_ptr<void> stalled = stall_commits();
    WorkerClient worker(rpc());
    worker.hello(3);
    worker.send({{"heartbeats", {{{"attempt_id", "no"}}}}});
    ASSERT_TRUE(worker.read().has_value());  // the claim was made before this was read
    worker.cancel();
    EXPECT_EQ(worker.finish().error_code(), grpc::StatusCode::CANCELLED);
    // On one connection what is sent later comes later: the server's end of the stream is closed by now.
    EXPECT_TRUE(get_rpc("admin", ids[0]).ok());
    stalled.reset();
  }

  WorkerClient other(rpc());
  other.hello(3);
  const std::vector<v1::Lease> leases = other.leases(3);

  std::set<std::string> got;
  for (const v1::Lease& lease : leases) got.insert(lease.task_uuid());
  EXPECT_EQ(got, std::set<std::string>(ids.begin(), ids.end()));
}

TEST_F(GrpcWorker, HalfClosesAndIsStillAnswered) {
  create_many(2);
  WorkerClient worker(rpc());
  worker.hello(1);
  const std::string attempt = worker.leases(1).at(0).attempt_id();
  worker.send({{"outcomes", {complete_of(attempt)}}, {"slots", 0}});
  worker.close();

  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_COMPLETED);
  EXPECT_TRUE(worker.finish().ok());
  EXPECT_EQ(get("admin", "/v1/queues/default").json()["depth"]["ready"], 1);
}

TEST_F(GrpcWorker, LargeContextsComeInMessagesThatClientsTake) {
  for (int i = 0; i < 8; ++i)
    create("admin", {{"handler", "charge"}, {"context", std::string(1'000'000, static_cast<char>('a' + i))}});
  WorkerClient worker(rpc());
  worker.hello(8);

  EXPECT_EQ(worker.leases(8).size(), 8u);
}

TEST_F(GrpcWorker, WrongInputEndsTheStreamAndSaysWhy) {
  struct Case {
    Json message;
    std::string why;
  };
  const Json good{{"worker_id", "w"}, {"queues", {"q"}}};
  v1::WorkerMessage many;
  for (int i = 0; i < 1'001; ++i) many.add_outcomes();
  for (const Case& each : std::vector<Case>{
           {{{"slots", 1}}, "hello belongs into the first message"},
           {{{"hello", {{"queues", {"q"}}}}}, "worker_id is required"},
           {{{"hello", {{"worker_id", "w"}}}}, "queues is required"},
           {{{"hello", {{"worker_id", "w"}, {"queues", {"a b"}}}}}, "queues"},
           {{{"hello", {{"worker_id", "w"}, {"queues", {"q"}}, {"weights", {{"x", 1}}}}}}, "none of the queues"},
           {{{"hello", {{"worker_id", "w"}, {"queues", {"q"}}, {"lease_ms", 0}}}}, "lease_ms is 0"},
           {{{"hello", good}, {"slots", 10'001}}, "slots: 10001 are free"},
           {to_json(many), "outcomes: at most 1000"}}) {
    WorkerClient worker(rpc());

    worker.send(each.message);

    expect_status(worker.finish(), grpc::StatusCode::INVALID_ARGUMENT, each.why);
  }
  WorkerClient twice(rpc());
  twice.hello(0);
  twice.hello(0);
  expect_status(twice.finish(), grpc::StatusCode::INVALID_ARGUMENT, "only there");
}

TEST_F(GrpcWorker, AFieldThatTheServerDoesNotKnowIsRefused) {
  v1::WorkerMessage message = make<v1::WorkerMessage>({{"hello", {{"worker_id", "w"}, {"queues", {"q"}}}}});
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(99, 1);
  WorkerClient worker(rpc());

  worker.send(message);

  expect_status(worker.finish(), grpc::StatusCode::INVALID_ARGUMENT, "a field 99 that this server does not know");
}

TEST_F(GrpcWorker, NeedsAKeyWithThePermission) {
  for (const auto& [key, code] : {std::pair<std::string, grpc::StatusCode>{"", grpc::StatusCode::UNAUTHENTICATED},
                                  {"nonsense", grpc::StatusCode::UNAUTHENTICATED},
                                  {"reader", grpc::StatusCode::PERMISSION_DENIED}}) {
    WorkerClient worker(rpc(), key);
    worker.hello(1);
    EXPECT_EQ(worker.finish().error_code(), code) << key;
  }
}

}  // namespace
}  // namespace semel::test
