#include "api/grpc/task_stream.hpp"

#include "api/grpc/submission.hpp"

namespace semel::rpc {
namespace {

constexpr std::size_t tasks_under_way_max = 4'000;  // a quarter of what the commit queue takes of all

}  // namespace

void TaskStream::received(const v1::SubmitTasksRequest& message) {
  Result<std::vector<Result<domain::Submission>>> batch = read_batch(message);
  if (!batch) {
    const std::lock_guard lock(mutex_);
    return end_with(status_of(batch.error()));
  }
  const std::size_t tasks = batch->size();
  {
    const std::lock_guard lock(mutex_);
    under_way_ += tasks;
  }
  const auto self = std::static_pointer_cast<TaskStream>(shared_from_this());
  backend_.engine.submit_batch(principal_, *std::move(batch),
                               [self, tasks, id = message.batch_id()](std::vector<engine::SubmitAnswer> answers) {
                                 self->answered(tasks, {id, std::move(answers)});
                               });
}

void TaskStream::answered(std::size_t tasks, Answered answered) {
  const std::lock_guard lock(mutex_);
  under_way_ -= tasks;
  waiting_.push_back(std::move(answered));
  pump_later();
}

bool TaskStream::take_next() {
  if (waiting_.empty()) return false;
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

void TaskStream::write(v1::SubmitTasksResponse& message) {
  message.set_batch_id(current_.batch_id);
  write_batch(message, current_.answers);
}

bool TaskStream::may_read() const {
  if (draining_) return false;
  std::size_t tasks = under_way_;
  for (const Answered& each : waiting_) tasks += each.answers.size();
  return tasks < tasks_under_way_max;
}

}  // namespace semel::rpc
