#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <future>
#include <latch>
#include <numeric>
#include <thread>

#include "tests/unit/sdk/server.hpp"

namespace semel::sdk {
namespace {

struct Order {
  std::string id;
  int amount = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, id, amount)

/// Calls `act`, and gives the code of the refusal.
template <typename F>
std::string refusal_of(F&& act) {
  try {
    act();
  } catch (const RequestRefused& refused) {
    return refused.code();
  }
  return "none";
}

TEST(ClientSubmit, MakesATaskAndGivesItsTypedResult) {
  TestServer server;
  const Order order{"o-1", 7};

  const TaskHandle<int> handle = server.client.submit<int>("double", order);
  const Lease lease = server.poll("double").at(0);
  server.answer({lease.attempt_id, Completion{"14"}});

  EXPECT_EQ(Json::parse(lease.context), Json(order));
  EXPECT_TRUE(handle.is_new());
  EXPECT_EQ(handle.id(), lease.task_uuid);
  EXPECT_EQ(handle.result(), 14);
  EXPECT_EQ(handle.status(), Status::completed);
}

TEST(ClientSubmit, AFailureIsAnExceptionOrAValue) {
  TestServer server;
  const auto handle = server.client.submit<int>("double", 1, SubmitOptions().max_attempts(1));
  const Lease lease = server.poll("double").at(0);
  server.answer({lease.attempt_id, AttemptFailure{R"({"type":"odd","message":"it is odd"})", true, {}}});

  EXPECT_THROW(handle.result(), ExecutionFailed);
  const Settled<int> settled = handle.settled();
  ASSERT_FALSE(settled);
  EXPECT_EQ(settled.failure().type(), "odd");
  EXPECT_STREQ(settled.failure().what(), "it is odd");
  EXPECT_EQ(settled.failure().status(), Status::failed);
}

TEST(ClientSubmit, AResultOfNoTypeBecomesOneWhereItIsUsed) {
  TestServer server;
  auto handle = server.client.submit("double", 1);
  server.answer({server.poll("double").at(0).attempt_id, Completion{R"({"id":"o-2","amount":3})"}});

  const Order order = handle.result();

  EXPECT_EQ(order.id, "o-2");
}

TEST(ClientSubmit, WithAKeyTheSameTaskIsReturned) {
  TestServer server;

  const auto first = server.client.submit("mail", 1, SubmitOptions().idempotency_key("k"));
  const auto second = server.client.submit("mail", 1, SubmitOptions().idempotency_key("k"));

  EXPECT_EQ(first.id(), second.id());
  EXPECT_FALSE(second.is_new());
}

TEST(ClientSubmit, ARefusalSaysWhy) {
  TestServer server;
  const SubmitOptions options = SubmitOptions().idempotency_key("k");
  server.client.submit("mail", 1, options);

  EXPECT_EQ(refusal_of([&] { server.client.submit("mail", 2, options); }), "IDEMPOTENCY_KEY_MISMATCH");
  EXPECT_EQ(
      refusal_of([&] { server.client.submit("mail", 1, SubmitOptions(options).on_duplicate(OnDuplicate::reject)); }),
      "CONFLICT");
}

TEST(ClientSubmit, TryingAgainAfterALostAnswerMakesNothingTwice) {
  struct Lossy : Between {
    using Between::Between;
    std::vector<Reply<Submitted>> submit(std::span<const Submission> all) override {
      ids.push_back(all[0].task_uuid);
      times.push_back(all[0].requested_at);
      std::vector<Reply<Submitted>> answers = behind_->submit(all);
      if (ids.size() < 3) answers.assign(all.size(), unavailable("the answer was lost"));
      return answers;
    }
    std::vector<std::string> ids{};
    std::vector<Time> times{};
  };
  TestServer server;
  const auto lossy = std::make_shared<Lossy>(server.backend);
  Client client = TestServer::client_of(lossy);

  const auto handle = client.submit("mail", 1);

  EXPECT_THAT(lossy->ids, ::testing::Each(handle.id()));
  EXPECT_THAT(lossy->times, ::testing::Each(lossy->times.front()));
  EXPECT_EQ(lossy->ids.size(), 3u);
  EXPECT_EQ(server.poll("mail").size(), 1u);
}

TEST(ClientSubmit, PatienceEnds) {
  struct Gone : Between {
    using Between::Between;
    std::vector<Reply<Submitted>> submit(std::span<const Submission> all) override {
      return std::vector<Reply<Submitted>>(all.size(), unavailable("nobody there"));
    }
  };
  TestServer server;
  Client client = TestServer::client_of(std::make_shared<Gone>(server.backend));

  EXPECT_THROW(client.submit("mail", 1), ServerUnavailable);
}

TEST(ClientWait, EndsWithTheStateWhenItsTimeHasPassed) {
  TestServer server;
  const auto handle = server.client.submit("mail", 1);
  std::promise<std::optional<Settled<Json>>> answered;
  std::thread waiter([&] { answered.set_value(handle.settled_within(10s)); });
  std::future<std::optional<Settled<Json>>> answer = answered.get_future();

  while (answer.wait_for(0s) != std::future_status::ready) {
    server.backend->advance_to(server.backend->now() + 10s);
    std::this_thread::yield();
  }

  EXPECT_FALSE(answer.get().has_value());
  waiter.join();
}

TEST(ClientWorkflow, IsStartedOnceForItsId) {
  TestServer server;

  const auto first = server.client.start_workflow("order", "order-1", 7);
  const auto second = server.client.start_workflow("order", "order-1", 7);
  first.signal("go", 1, "key");
  const bool is_news = server.client.signal_workflow("order-1", "go", 1, "key");

  EXPECT_TRUE(first.is_new());
  EXPECT_FALSE(second.is_new());
  EXPECT_EQ(first.id(), second.id());
  EXPECT_FALSE(is_news);
  EXPECT_EQ(first.cancel(), Status::cancelled);
  EXPECT_EQ(refusal_of([&] { second.signal("go", 1); }), "FAILED_PRECONDITION");
}

/// Knows one schedule, and loses its first answer.
struct ForgetfulSchedules : Between {
  using Between::Between;
  Reply<void> remove_schedule(const std::string&) override {
    if (++calls > 1) return refused("NOT_FOUND", "there is no schedule");
    return unavailable("the answer was lost");
  }
  Reply<Fired> run_schedule(const std::string&, Time nominal) override {
    times.push_back(nominal);
    if (++calls > 1) return Fired{"task-1", ""};
    return unavailable("the answer was lost");
  }
  int calls = 0;
  std::vector<Time> times;
};

TEST(ClientSchedule, IsFiredForOneTimeHoweverOftenItIsTried) {
  const auto server = std::make_shared<ForgetfulSchedules>(TestServer().backend);
  Time now{};
  const ClientWorld world{[&] { return now += 1s; }, [](Duration) {}};
  Client client(std::make_shared<ClientCore>(server, ClientOptions(), world));

  EXPECT_EQ(client.run_schedule("nightly").id(), "task-1");

  ASSERT_EQ(server->times.size(), 2u);
  EXPECT_EQ(server->times[0], server->times[1]);
}

TEST(ClientSchedule, IsGoneWhenTheAnswerToItsRemovalWasLost) {
  const auto server = std::make_shared<ForgetfulSchedules>(TestServer().backend);
  Client client = TestServer::client_of(server);

  client.remove_schedule("nightly");

  EXPECT_EQ(server->calls, 2);
  EXPECT_EQ(refusal_of([&] { client.remove_schedule("nightly"); }), "NOT_FOUND");
}

TEST(ClientSchedule, ThatMadeNoTaskSaysWhy) {
  struct Skipping : Between {
    using Between::Between;
    Reply<Fired> run_schedule(const std::string& name, Time) override {
      return name == "skipped" ? Fired{} : Fired{"", "the context is too large"};
    }
  };
  Client client = TestServer::client_of(std::make_shared<Skipping>(TestServer().backend));

  for (const auto& [name, why] :
       {std::pair{"skipped", "its last one is not over"}, {"refused", "the context is too"}}) {
    try {
      client.run_schedule(name);
      FAIL() << "there is a task";
    } catch (const RequestRefused& refused) {
      EXPECT_THAT(refused.what(), ::testing::HasSubstr(why));
    }
  }
}

/// Does what it is asked, and loses its first answer.
struct Forgetful : Between {
  using Between::Between;
  Reply<bool> signal(const SignalRequest& request) override {
    Reply<bool> answer = behind_->signal(request);
    return ++calls == 1 ? unavailable("the answer was lost") : answer;
  }
  Reply<Status> cancel(const CancelRequest& request) override {
    if (++calls > 1) return refused("NOT_CANCELLABLE", "it has closed");  // as servers say
    static_cast<void>(behind_->cancel(request));
    return unavailable("the answer was lost");
  }
  int calls = 0;
};

TEST(ClientWorkflow, ASignalThatIsToldAgainAfterALostAnswerIsToldOnce) {
  TestServer server;
  const auto forgetful = std::make_shared<Forgetful>(server.backend);
  Client client = TestServer::client_of(forgetful);
  const auto workflow = client.start_workflow("order", "order-1", 7);

  EXPECT_TRUE(client.signal_workflow("order-1", "go", 1)) << "it had not come before";
  EXPECT_TRUE(client.signal_workflow("order-1", "go", 1)) << "without a key it is another one";

  EXPECT_EQ(forgetful->calls, 3);
  EXPECT_EQ(server.backend->whole_history(workflow.id()).size(), 3u);  // that it began, and two signals
}

TEST(ClientWorkflow, CancellingAgainAfterALostAnswerIsNoError) {
  TestServer server;
  const auto forgetful = std::make_shared<Forgetful>(server.backend);
  Client client = TestServer::client_of(forgetful);

  EXPECT_EQ(client.start_workflow("order", "order-1", 7).cancel(), Status::cancelled);
  EXPECT_EQ(forgetful->calls, 2);
}

TEST(ClientWorkflow, WhatCannotBeCancelledIsSaidAtOnce) {
  TestServer server;
  const auto forgetful = std::make_shared<Forgetful>(server.backend);
  forgetful->calls = 1;
  Client client = TestServer::client_of(forgetful);

  EXPECT_EQ(refusal_of([&] { client.start_workflow("order", "order-1", 7).cancel(); }), "NOT_CANCELLABLE");
}

TEST(ClientPromise, IsSettledOnceByKeyOrById) {
  TestServer server;
  const auto approval = server.client.create_promise<bool>("approve-1");
  const auto other = server.client.create_promise<bool>();

  EXPECT_TRUE(server.client.resolve_promise("approve-1", true));
  EXPECT_FALSE(server.client.resolve_promise("approve-1", false));
  EXPECT_TRUE(server.client.reject_promise_by_id(other.id(), Failure("no", "never")));
  EXPECT_EQ(refusal_of([&] { server.client.resolve_promise("approve-2", true); }), "NOT_FOUND");
  EXPECT_TRUE(approval.result());
  EXPECT_EQ(other.settled().failure().type(), "no");
}

TEST(ClientQueue, IsConfigured) {
  TestServer server;

  server.client.configure_queue("payments", QueueSettings().rate_limit("100/sec").max_running(4));

  EXPECT_EQ(server.backend->queues().at("payments").rate_limit(), "100/sec");
  EXPECT_EQ(server.backend->queues().at("payments").max_running(), 4);
}

// ---- coalescing

TEST(Coalescer, OneCallerIsOneMessageAtOnce) {
  std::vector<std::size_t> batches;
  Coalescer<int, int> coalescer(100, 1, [&](std::span<const int> requests) {
    batches.push_back(requests.size());
    return std::vector<int>(requests.begin(), requests.end());
  });

  EXPECT_EQ(coalescer.call(7), 7);
  EXPECT_EQ(coalescer.call(8), 8);
  EXPECT_THAT(batches, ::testing::ElementsAre(1, 1));
}

TEST(Coalescer, WhatComesWhileOneIsOnItsWayGoesTogether) {
  constexpr int callers = 20;
  std::vector<std::size_t> batches;
  std::function<std::size_t()> waiting;
  Coalescer<int, int> coalescer(100, 1, [&](std::span<const int> requests) {
    batches.push_back(requests.size());
    if (batches.size() == 1) {
      while (waiting() + requests.size() < callers) std::this_thread::yield();
    }
    return std::vector<int>(requests.begin(), requests.end());
  });
  waiting = [&] { return coalescer.waiting(); };
  std::vector<std::thread> threads;
  std::atomic<int> sum = 0;
  for (int i = 0; i < callers; ++i) threads.emplace_back([&, i] { sum += coalescer.call(i); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(sum, callers * (callers - 1) / 2);
  EXPECT_LE(batches.size(), 2u);
}

TEST(Coalescer, WhoeverMaySendBesideAnotherWaitsForHalfOfAllCallers) {
  constexpr std::size_t callers = 8;
  std::mutex mutex;
  std::vector<std::size_t> batches;
  std::latch first(1);
  std::latch third(1);
  Coalescer<int, int> coalescer(100, 2, [&](std::span<const int> requests) {
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex);
      batches.push_back(requests.size());
      number = batches.size();
    }
    if (number == 1) first.wait();
    if (number == 2) third.wait();
    if (number == 3) third.count_down();
    return std::vector<int>(requests.begin(), requests.end());
  });
  const auto sent = [&] {
    const std::lock_guard lock(mutex);
    return std::accumulate(batches.begin(), batches.end(), coalescer.waiting());
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < callers; ++i) {
    threads.emplace_back([&] { coalescer.call(7); });
    while (sent() < i + 1) std::this_thread::yield();
  }
  EXPECT_THAT(batches, ::testing::ElementsAre(1, 1)) << "one, and one of two; then all are on their way";

  first.count_down();
  for (std::thread& thread : threads) thread.join();

  EXPECT_THAT(batches, ::testing::ElementsAre(1, 1, 6)) << "the others go together";
}

TEST(Coalescer, WhatSendingThrowsIsThrownToAllWhoseRequestsWereSent) {
  Coalescer<int, int> coalescer(100, 1, [](std::span<const int> requests) {
    if (requests.front() == 0) throw std::runtime_error("no memory");
    return std::vector<int>(requests.begin(), requests.end());
  });

  EXPECT_THROW(coalescer.call(0), std::runtime_error);
  EXPECT_EQ(coalescer.call(1), 1) << "the next is not kept by it";
}

TEST(Coalescer, ABatchHasALimit) {
  std::mutex mutex;
  std::size_t largest = 0;
  Coalescer<int, int> coalescer(3, 2, [&](std::span<const int> requests) {
    const std::lock_guard lock(mutex);
    largest = std::max(largest, requests.size());
    return std::vector<int>(requests.begin(), requests.end());
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n) EXPECT_EQ(coalescer.call(i), i);
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_LE(largest, 3u);
}

}  // namespace
}  // namespace semel::sdk
