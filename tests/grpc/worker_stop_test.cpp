#include <thread>

#include "tests/grpc/worker_fixture.hpp"

/// WorkerService.Connect, when the server stops.
namespace semel::test {
namespace {

/// The worker finishes what it has while the server waits for it, and gets nothing new.
TEST_F(GrpcWorker, IsToldWhenTheServerStopsAndFinishesItsTask) {
  const std::vector<std::string> ids = create_many(2);
  WorkerClient worker(rpc());
  worker.hello(1);
  const std::string attempt = worker.leases(1).at(0).attempt_id();
  std::jthread stopping([this] { instance().stop(60s); });
  const std::optional<v1::ServerMessage> told = worker.read();
  ASSERT_TRUE(told.has_value());
  EXPECT_TRUE(told->draining());

  worker.send({{"outcomes", {complete_of(attempt)}}, {"slots", 1}});

  EXPECT_EQ(worker.outcome().recorded().status(), v1::TASK_STATUS_COMPLETED);
  worker.finish();
  stopping.join();
  restart();
  EXPECT_EQ(status_of(ids[0]), "completed");
  EXPECT_EQ(status_of(ids[1]), "pending");
}

TEST_F(GrpcWorker, ThatHasNothingDoesNotKeepTheServerFromStopping) {
  WorkerClient worker(rpc());
  worker.hello(5);
  worker.send({{"heartbeats", {{{"attempt_id", "no"}}}}});
  ASSERT_TRUE(worker.read().has_value());

  instance().stop(600s);

  const std::optional<v1::ServerMessage> told = worker.read();
  EXPECT_TRUE(told && told->draining());
  expect_status(worker.finish(), grpc::StatusCode::UNAVAILABLE, "the server stops");
}

}  // namespace
}  // namespace semel::test
