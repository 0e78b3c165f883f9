#pragma once
#include <semel/v1/task.grpc.pb.h>

#include <future>
#include <map>
#include <vector>

#include "connected/address.hpp"
#include "connected/client_stream.hpp"
#include "sdk/backend.hpp"

namespace semel::connected {

/// TaskService.StreamTasks: batches of submissions, each answered when it is durable. From any thread.
class SubmitStream final : public ClientStream<v1::SubmitTasksRequest, v1::SubmitTasksResponse> {
 public:
  using Replies = std::vector<sdk::Reply<sdk::Submitted>>;

  SubmitStream(UnderWay& under_way, const Address& address) : ClientStream(under_way), address_(address) {}

  /// One reply for each task, in order. When the stream breaks, these say so: the same may be submitted again.
  std::future<Replies> submit(v1::SubmitTasksRequest batch);

 private:
  struct Waiting {
    std::size_t tasks = 0;
    std::promise<Replies> replies{};
  };

  void received(const v1::SubmitTasksResponse& message) override;
  void ended(const grpc::Status& status) override;

  const Address& address_;
  // Under the lock.
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Waiting> under_way_batches_;
  std::optional<sdk::Refusal> end_;
};

}  // namespace semel::connected
