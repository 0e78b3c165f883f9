#pragma once
#include "sdk/client_core.hpp"
#include "tests/sdk/client_suite_fixture.hpp"

/// What every server does, the one of the test kit too: one suite for all of them, about keys and what has closed
/// (DESIGN §3.6). A stage gives one client, and has a clock that stands until a test moves it: advance(time).
namespace semel::suite {

/// Something with a key that a workflow asks for.
struct Asked {
  std::string what;  // "task", "promise" or "child"
  std::string key;
  OnKeyConflict on_conflict = OnKeyConflict::attach;
  int input = 0;
  int ttl_seconds = 0;  // 0 = not said
};
inline void to_json(Json& json, const Asked& asked) {
  json = {asked.what, asked.key, static_cast<int>(asked.on_conflict), asked.input, asked.ttl_seconds};
}
inline void from_json(const Json& json, Asked& asked) {
  asked = {json.at(0), json.at(1), static_cast<OnKeyConflict>(json.at(2).get<int>()), json.at(3), json.at(4)};
}

/// The result, or the type of the failure.
inline std::string words_for(const Settled<int>& settled) {
  return settled ? std::to_string(settled.value()) : settled.failure().type();
}

inline Workflow<std::string> ask_with_key(WorkflowContext& ctx, Asked asked) {
  const std::chrono::seconds ttl(asked.ttl_seconds);
  if (asked.what == "task") {
    auto options = StepOptions().idempotency_key(asked.key).on_key_conflict(asked.on_conflict).max_attempts(1);
    if (asked.ttl_seconds > 0) options.idempotency_key_ttl(ttl);
    const Settled<int> settled = co_await ctx.task<int>("work", asked.input, options).settled();
    co_return words_for(settled);
  }
  if (asked.what == "promise") {
    auto options = PromiseOptions().on_key_conflict(asked.on_conflict);
    if (asked.ttl_seconds > 0) options.idempotency_key_ttl(ttl);
    const Settled<int> settled = co_await ctx.promise<int>(asked.key, options).settled();
    co_return words_for(settled);
  }
  auto options = ChildOptions().workflow_id(asked.key).on_key_conflict(asked.on_conflict);
  if (asked.ttl_seconds > 0) options.idempotency_key_ttl(ttl);
  const Settled<int> settled = co_await ctx.child<int>("echo", asked.input, options).settled();
  co_return words_for(settled);
}

inline Workflow<int> echo(WorkflowContext&, int value) { co_return static_cast<int>(value); }

template <typename Stage>
class ServerSuite : public ::testing::Test {
 protected:
  Client& client() { return client_; }
  WorkflowHandle<std::string> ask(const std::string& workflow_id, const Asked& asked) {
    return client_.start_workflow<std::string>("ask_with_key", workflow_id, asked);
  }
  /// `work` is done by the test.
  void work(std::function<int(int)> work) {
    worker_.task("work", std::move(work));
    worker_.workflow("ask_with_key", ask_with_key);
    worker_.workflow("echo", echo);
    worker_.start();
  }
  void work() {
    work([this](int n) { return ++works_ * 100 + n; });
  }
  /// Until the workflow has got so far.
  void await_event(const std::string& workflow, const std::string& kind) {
    while (true) {
      const sdk::HistoryPage page = client_.core()->backend().history(workflow, 0, 1'000).value();
      for (const sdk::Event& event : page.events) {
        if (event.kind == kind) return;
      }
      std::this_thread::yield();
    }
  }
  /// Until somebody has made the promise.
  void keep(const std::string& key, int value) {
    while (!client_.resolve_promise(key, value)) std::this_thread::yield();
  }

  Stage stage_;
  Client client_ = stage_.client();
  std::atomic<int> works_ = 0;
  Worker worker_{client_};
};
TYPED_TEST_SUITE_P(ServerSuite);

// ---- promises

TYPED_TEST_P(ServerSuite, APromiseThatWasKeptKeepsItsKeyAndOneThatWasBrokenGivesItBack) {
  Client& client = this->client();
  const auto kept = client.create_promise<int>("kept");
  const auto broken = client.create_promise<int>("broken");
  client.resolve_promise("kept", 1);
  client.reject_promise("broken", Failure("no", "not today"));

  const auto again = client.create_promise<int>("kept");
  const auto other = client.create_promise<int>("broken");

  EXPECT_FALSE(again.is_new());
  EXPECT_EQ(again.id(), kept.id());
  EXPECT_TRUE(other.is_new());
  EXPECT_NE(other.id(), broken.id());
}

TYPED_TEST_P(ServerSuite, TheKeyOfAKeptPromiseIsNotFreeInAWorkflow) {
  Client& client = this->client();
  client.create_promise<int>("p");
  client.resolve_promise("p", 5);
  this->work();

  EXPECT_EQ(this->ask("a", {"promise", "p", OnKeyConflict::fail}).result(), "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_EQ(this->ask("b", {"promise", "p", OnKeyConflict::attach}).result(), "5");
  EXPECT_EQ(this->ask("c", {"task", "p"}).result(), "IDEMPOTENCY_KEY_CONFLICT") << "a task is no promise";
}

TYPED_TEST_P(ServerSuite, TheKeyOfABrokenPromiseIsFreeInAWorkflow) {
  Client& client = this->client();
  client.create_promise<int>("p");
  client.reject_promise("p", Failure("no", "not today"));
  client.create_promise<int>("q");
  client.reject_promise("q", Failure("no", "not today"));
  this->work();
  const auto first = this->ask("a", {"promise", "p", OnKeyConflict::fail});
  const auto second = this->ask("b", {"promise", "q", OnKeyConflict::attach});

  this->keep("p", 6);
  this->keep("q", 7);

  EXPECT_EQ(first.result(), "6");
  EXPECT_EQ(second.result(), "7");
}

TYPED_TEST_P(ServerSuite, APromiseThatWaitsForAnotherComesToTheSame) {
  Client& client = this->client();
  client.create_promise<int>("kept");
  client.create_promise<int>("broken");
  this->work();
  const auto first = this->ask("a", {"promise", "kept", OnKeyConflict::attach});
  const auto second = this->ask("b", {"promise", "broken", OnKeyConflict::attach});
  this->await_event(first.id(), "task_attached");
  this->await_event(second.id(), "task_attached");

  client.resolve_promise("kept", 7);
  client.reject_promise("broken", Failure("no", "not today"));

  EXPECT_EQ(first.result(), "7");
  EXPECT_EQ(second.result(), "no");
}

// ---- steps that wait for the holder of their key

TYPED_TEST_P(ServerSuite, AStepTakesTheResultOfTheTaskThatItWaitsFor) {
  Client& client = this->client();
  std::latch go(1);
  std::atomic<int> runs = 0;
  this->work([&](int n) {
    go.wait();
    ++runs;
    return n + 1;
  });
  const auto holder = client.submit<int>("work", 1, SubmitOptions().idempotency_key("k"));
  const auto workflow = this->ask("a", {"task", "k", OnKeyConflict::attach, 1});
  this->await_event(workflow.id(), "task_attached");
  go.count_down();

  EXPECT_EQ(workflow.result(), "2");
  EXPECT_EQ(holder.result(), 2);
  EXPECT_EQ(this->ask("b", {"task", "k", OnKeyConflict::attach, 1}).result(), "2") << "one that has completed";
  EXPECT_EQ(runs, 1);
}

TYPED_TEST_P(ServerSuite, StepsWhoseHolderFailsRunOneTaskOfTheirOwn) {
  Client& client = this->client();
  std::latch go(1);
  std::atomic<int> runs = 0;
  this->work([&](int n) {
    go.wait();
    if (++runs == 1) throw Failure("broken", "the first one").not_retryable();
    return n + 1;
  });
  const auto holder = client.submit<int>("work", 1, SubmitOptions().idempotency_key("k"));
  const auto first = this->ask("a", {"task", "k", OnKeyConflict::attach, 1});
  const auto second = this->ask("b", {"task", "k", OnKeyConflict::attach, 1});
  this->await_event(first.id(), "task_attached");
  this->await_event(second.id(), "task_attached");
  go.count_down();

  EXPECT_EQ(holder.settled().failure().type(), "broken");
  EXPECT_EQ(first.result(), "2");
  EXPECT_EQ(second.result(), "2");
  EXPECT_EQ(runs, 2) << "one of them ran, and the other waited for it";
}

TYPED_TEST_P(ServerSuite, AKeyThatIsHeldForSomethingElseFailsItsStep) {
  Client& client = this->client();
  client.submit<int>("work", 1, SubmitOptions().idempotency_key("k").queue("nobody"));
  client.submit<int>("other", 1, SubmitOptions().idempotency_key("o").queue("nobody"));
  this->work();

  EXPECT_EQ(this->ask("a", {"task", "k", OnKeyConflict::attach, 2}).result(), "IDEMPOTENCY_KEY_MISMATCH");
  EXPECT_EQ(this->ask("b", {"task", "o", OnKeyConflict::attach, 1}).result(), "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_EQ(this->ask("c", {"task", "k", OnKeyConflict::fail, 1}).result(), "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_EQ(this->ask("d", {"task", "k", OnKeyConflict::warn_and_create, 1}).result(), "101");
}

TYPED_TEST_P(ServerSuite, AChildWhoseIdIsHeldFailsUnlessItIsMadeAllTheSame) {
  this->work();

  EXPECT_EQ(this->ask("a", {"child", "packing", OnKeyConflict::fail, 1}).result(), "1");
  EXPECT_EQ(this->ask("b", {"child", "packing", OnKeyConflict::fail, 1}).result(), "IDEMPOTENCY_KEY_CONFLICT");
  EXPECT_EQ(this->ask("d", {"child", "packing", OnKeyConflict::warn_and_create, 2}).result(), "2");
}

// ---- how long keys are held

TYPED_TEST_P(ServerSuite, TheKeyOfAStepIsHeldForItsTime) {
  this->work();
  const Asked asked{"task", "k", OnKeyConflict::attach, 1, 60};

  EXPECT_EQ(this->ask("a", asked).result(), "101");
  this->stage_.advance(59s);
  EXPECT_EQ(this->ask("b", asked).result(), "101") << "the result of the first";
  this->stage_.advance(1s);
  EXPECT_EQ(this->ask("c", asked).result(), "201") << "a task of its own";
}

TYPED_TEST_P(ServerSuite, TheKeyOfAPromiseIsHeldForItsTime) {
  this->work();
  const Asked asked{"promise", "p", OnKeyConflict::fail, 0, 60};
  const auto first = this->ask("a", asked);
  this->await_event(first.id(), "promise_created");
  this->keep("p", 1);

  EXPECT_EQ(first.result(), "1");
  this->stage_.advance(59s);
  EXPECT_EQ(this->ask("b", asked).result(), "IDEMPOTENCY_KEY_CONFLICT");
  this->stage_.advance(1s);
  const auto third = this->ask("c", asked);
  this->keep("p", 2);
  EXPECT_EQ(third.result(), "2");
}

TYPED_TEST_P(ServerSuite, TheIdOfAChildIsHeldForItsTime) {
  this->work();
  const Asked asked{"child", "packing", OnKeyConflict::fail, 1, 60};

  EXPECT_EQ(this->ask("a", asked).result(), "1");
  this->stage_.advance(59s);
  EXPECT_EQ(this->ask("b", asked).result(), "IDEMPOTENCY_KEY_CONFLICT");
  this->stage_.advance(1s);
  EXPECT_EQ(this->ask("c", asked).result(), "1");
}

TYPED_TEST_P(ServerSuite, TheIdOfAChildIsHeldForTheWindowOfItsQueue) {
  this->work();
  const Asked asked{"child", "packing", OnKeyConflict::fail, 1};

  EXPECT_EQ(this->ask("a", asked).result(), "1");
  this->stage_.advance(24h);
  EXPECT_EQ(this->ask("b", asked).result(), "IDEMPOTENCY_KEY_CONFLICT");
  this->stage_.advance(24h * 90);
  EXPECT_EQ(this->ask("c", asked).result(), "1");
}

TYPED_TEST_P(ServerSuite, KeysOfClientsAreHeldForTheirTime) {
  Client& client = this->client();
  this->work();
  const auto options = SubmitOptions().idempotency_key("k").idempotency_key_ttl(60s);
  const auto first = client.submit<int>("work", 1, options);
  first.result();

  this->stage_.advance(59s);
  EXPECT_EQ(client.submit<int>("work", 1, options).id(), first.id());
  this->stage_.advance(1s);
  EXPECT_NE(client.submit<int>("work", 1, options).id(), first.id());
}

// ---- what has closed

TYPED_TEST_P(ServerSuite, ASignalToAClosedWorkflowIsRefusedUnlessItHadCome) {
  Client& client = this->client();
  const auto workflow = client.start_workflow<int>("nobody_has_it", "w", 0);
  EXPECT_TRUE(client.signal_workflow("w", "note", 1, "n1"));
  EXPECT_EQ(workflow.cancel(), Status::cancelled);

  EXPECT_EQ(refusal([&] { client.signal_workflow("w", "note", 2, "n2"); }), "FAILED_PRECONDITION");
  EXPECT_EQ(refusal([&] { workflow.signal("note", 2); }), "FAILED_PRECONDITION");
  EXPECT_FALSE(client.signal_workflow("w", "note", 1, "n1")) << "it had come before";
}

TYPED_TEST_P(ServerSuite, WhatHasClosedIsNotCancelled) {
  Client& client = this->client();
  const auto workflow = client.start_workflow<int>("nobody_has_it", "w", 0);
  workflow.cancel();

  EXPECT_EQ(refusal([&] { workflow.cancel(); }), "NOT_CANCELLABLE");
}

inline Workflow<int> says_how_far(WorkflowContext& ctx, int) {
  ctx.set_status("waiting");
  const int more = co_await ctx.signal<int>("more");
  co_return static_cast<int>(more);
}

TYPED_TEST_P(ServerSuite, WhatAWorkflowSaysOfItselfIsToldToWhoAsks) {
  Client& client = this->client();
  this->worker_.workflow("says_how_far", says_how_far);
  const auto workflow = client.start_workflow<int>("says_how_far", "s", 0);
  EXPECT_FALSE(client.custom_status("s").has_value());
  this->work();

  while (!client.custom_status("s")) std::this_thread::yield();

  EXPECT_EQ(client.template custom_status<std::string>("s"), "waiting");
  EXPECT_EQ(workflow.template custom_status<std::string>(), "waiting");
  EXPECT_EQ(refusal([&] { client.custom_status("nobody"); }), "NOT_FOUND");
}

REGISTER_TYPED_TEST_SUITE_P(ServerSuite, APromiseThatWasKeptKeepsItsKeyAndOneThatWasBrokenGivesItBack,
                            TheKeyOfAKeptPromiseIsNotFreeInAWorkflow, TheKeyOfABrokenPromiseIsFreeInAWorkflow,
                            APromiseThatWaitsForAnotherComesToTheSame, AStepTakesTheResultOfTheTaskThatItWaitsFor,
                            StepsWhoseHolderFailsRunOneTaskOfTheirOwn, AKeyThatIsHeldForSomethingElseFailsItsStep,
                            AChildWhoseIdIsHeldFailsUnlessItIsMadeAllTheSame, TheKeyOfAStepIsHeldForItsTime,
                            TheKeyOfAPromiseIsHeldForItsTime, TheIdOfAChildIsHeldForItsTime,
                            TheIdOfAChildIsHeldForTheWindowOfItsQueue, KeysOfClientsAreHeldForTheirTime,
                            ASignalToAClosedWorkflowIsRefusedUnlessItHadCome, WhatHasClosedIsNotCancelled,
                            WhatAWorkflowSaysOfItselfIsToldToWhoAsks);

}  // namespace semel::suite
