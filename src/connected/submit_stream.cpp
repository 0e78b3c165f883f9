#include "connected/submit_stream.hpp"

#include "connected/convert.hpp"
#include "connected/refusal.hpp"

namespace semel::connected {
namespace {

SubmitStream::Replies refused_all(std::size_t tasks, const sdk::Refusal& refusal) {
  return SubmitStream::Replies(tasks, tl::unexpected(refusal));
}

}  // namespace

std::future<SubmitStream::Replies> SubmitStream::submit(v1::SubmitTasksRequest batch) {
  std::future<Replies> replies;
  {
    const std::lock_guard lock(mutex_);
    Waiting waiting{static_cast<std::size_t>(batch.tasks_size())};
    replies = waiting.replies.get_future();
    if (end_) {
      waiting.replies.set_value(refused_all(waiting.tasks, *end_));
      return replies;
    }
    batch.set_batch_id(++last_id_);
    under_way_batches_.emplace(last_id_, std::move(waiting));
    waiting_.push_back(std::move(batch));
  }
  write_more();
  return replies;
}

void SubmitStream::received(const v1::SubmitTasksResponse& message) {
  Waiting waiting;
  {
    const std::lock_guard lock(mutex_);
    const auto found = under_way_batches_.find(message.batch_id());
    if (found == under_way_batches_.end()) return;
    waiting = std::move(found->second);
    under_way_batches_.erase(found);
  }
  Replies replies;
  replies.reserve(waiting.tasks);
  for (const v1::SubmitTaskResult& each : message.results()) replies.push_back(submitted_of(each));
  if (replies.size() != waiting.tasks)
    replies = refused_all(waiting.tasks, {"INTERNAL", "the server answered another number of tasks", false});
  waiting.replies.set_value(std::move(replies));
}

void SubmitStream::ended(const grpc::Status& status) {
  std::map<std::uint64_t, Waiting> left;
  {
    const std::lock_guard lock(mutex_);
    end_ = status.ok() ? broken_off(status, address_) : refusal_of(status, address_);
    left.swap(under_way_batches_);
  }
  for (auto& [id, waiting] : left) waiting.replies.set_value(refused_all(waiting.tasks, *end_));
}

}  // namespace semel::connected
