#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace semel::sdk {

/// Makes one message of calls that come at the same time, as a group commit does on disk: whoever comes while nobody
/// sends, sends at once; what comes meanwhile waits for that one to be back, and goes together. So many callers make
/// few messages, and one caller waits for nobody. It needs no thread of its own. From any thread.
template <typename Request, typename Reply>
class Coalescer {
 public:
  /// One reply for each request, in order.
  using Send = std::function<std::vector<Reply>(std::span<const Request>)>;

  Coalescer(std::size_t batch_max, std::size_t senders_max, Send send)
      : batch_max_(batch_max), senders_max_(senders_max), send_(std::move(send)) {}

  Reply call(Request request) {
    Caller caller(std::move(request));
    std::unique_lock lock(mutex_);
    waiting_.push_back(&caller);
    while (!caller.reply) {
      if (senders_ < senders_max_ && !waiting_.empty()) send_batch(lock);
      else caller.changed.wait(lock);
    }
    return *std::move(caller.reply);
  }

  /// Callers whose requests have not been sent.
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  struct Caller {
    explicit Caller(Request asked) : request(std::move(asked)) {}

    Request request;
    std::optional<Reply> reply{};
    std::condition_variable changed{};
  };

  void send_batch(std::unique_lock<std::mutex>& lock) {
    std::vector<Caller*> callers;
    std::vector<Request> requests;
    while (!waiting_.empty() && callers.size() < batch_max_) {
      callers.push_back(waiting_.front());
      requests.push_back(std::move(waiting_.front()->request));
      waiting_.pop_front();
    }
    ++senders_;
    lock.unlock();
    std::vector<Reply> replies = send_(requests);
    lock.lock();
    --senders_;
    for (std::size_t i = 0; i < callers.size(); ++i) {
      callers[i]->reply.emplace(std::move(replies[i]));
      callers[i]->changed.notify_one();
    }
    if (!waiting_.empty()) waiting_.front()->changed.notify_one();  // it sends the next
  }

  const std::size_t batch_max_;
  const std::size_t senders_max_;
  const Send send_;
  std::mutex mutex_;             // guards what follows
  std::deque<Caller*> waiting_;  // each on the stack of its call
  std::size_t senders_ = 0;
};

}  // namespace semel::sdk
