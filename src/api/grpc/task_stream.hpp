#pragma once
#include <semel/v1/task.pb.h>

#include <deque>
#include <vector>

#include "api/grpc/stream.hpp"

namespace semel::rpc {

/// TaskService.StreamTasks: batches of submissions, each answered when it is durable.
class TaskStream final : public Stream<v1::SubmitTasksRequest, v1::SubmitTasksResponse> {
 public:
  using Stream::Stream;

 private:
  struct Answered {
    std::uint64_t batch_id = 0;
    std::vector<engine::SubmitAnswer> answers;
  };

  void received(const v1::SubmitTasksRequest& message) override;
  bool take_next() override;
  void write(v1::SubmitTasksResponse& message) override;
  void written(bool) override {}
  bool may_read() const override;
  bool is_idle() const override { return under_way_ == 0; }
  bool may_end() const override { return true; }
  void answered(std::size_t tasks, Answered answered);

  std::size_t under_way_ = 0;  // tasks that have come and not been answered yet
  std::deque<Answered> waiting_;
  Answered current_;  // being written
};

}  // namespace semel::rpc
