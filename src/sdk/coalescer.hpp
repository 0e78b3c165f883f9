#pragma once
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <semaphore>
#include <span>
#include <utility>
#include <vector>

namespace semel::sdk {

/// Makes one message of calls that come at the same time, as a group commit does on disk: whoever comes while nobody
/// sends, sends at once; what comes meanwhile waits, and goes together. So many callers make few messages, and one
/// caller waits for nobody. It needs no thread of its own. From any thread.
///
/// Where several may send at once, another message waits until half of all callers are in it: else those who come back
/// first would go alone, and the messages become smaller and smaller.
template <typename Request, typename Reply>
class Coalescer {
 public:
  /// One reply for each request, in order.
  using Send = std::function<std::vector<Reply>(std::span<const Request>)>;

  Coalescer(std::size_t batch_max, std::size_t senders_max, Send send)
      : batch_max_(batch_max), senders_max_(senders_max), send_(std::move(send)) {}

  /// Throws what `send` has thrown, to all whose requests it was given.
  Reply call(Request request) {
    Caller caller(std::move(request));
    std::unique_lock lock(mutex_);
    ++inside_;
    if (is_time_to_send(waiting_.size() + 1)) {
      ++senders_;
    } else {
      waiting_.push_back(&caller);
      lock.unlock();
      caller.woken.acquire();
      if (!caller.sends) return reply_of(caller);
      lock.lock();
      is_chosen_ = false;
    }
    send_with(caller, lock);
    return reply_of(caller);
  }

  /// Callers whose requests have not been sent.
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  /// On the stack of its call. One who waits is woken once: with a reply, or to send.
  struct Caller {
    explicit Caller(Request asked) : request(std::move(asked)) {}

    Request request;
    std::optional<Reply> reply{};
    std::exception_ptr failure{};
    bool sends = false;
    std::binary_semaphore woken{0};
  };

  static Reply reply_of(Caller& caller) {
    if (caller.failure) std::rethrow_exception(caller.failure);
    return *std::move(caller.reply);
  }

  bool is_time_to_send(std::size_t requests) const {
    if (requests == 0 || senders_ >= senders_max_ || is_chosen_) return false;
    return senders_ == 0 || 2 * requests >= inside_ || requests >= batch_max_;
  }

  /// Sends for the caller, who is one of the senders, and for those who wait.
  void send_with(Caller& caller, std::unique_lock<std::mutex>& lock) {
    std::vector<Caller*> callers{&caller};
    while (!waiting_.empty() && callers.size() < batch_max_) {
      callers.push_back(waiting_.front());
      waiting_.pop_front();
    }
    lock.unlock();
    send(callers);
    lock.lock();
    --senders_;
    inside_ -= callers.size();
    Caller* const next = choose_next();
    lock.unlock();  // each of them goes on at once, and first the one who sends the next
    if (next != nullptr) next->woken.release();
    for (std::size_t i = 1; i < callers.size(); ++i) callers[i]->woken.release();  // each may be gone from here on
  }

  void send(const std::vector<Caller*>& callers) {
    std::vector<Request> requests;
    requests.reserve(callers.size());
    for (Caller* const each : callers) requests.push_back(std::move(each->request));
    try {
      std::vector<Reply> replies = send_(requests);
      for (std::size_t i = 0; i < callers.size(); ++i) callers[i]->reply.emplace(std::move(replies[i]));
    } catch (...) {
      for (Caller* const each : callers) each->failure = std::current_exception();
    }
  }

  /// Who sends next, as one of the senders already; nobody where it is not time.
  Caller* choose_next() {
    if (!is_time_to_send(waiting_.size())) return nullptr;
    Caller* const next = waiting_.front();
    waiting_.pop_front();
    next->sends = true;
    is_chosen_ = true;
    ++senders_;
    return next;
  }

  const std::size_t batch_max_;
  const std::size_t senders_max_;
  const Send send_;
  std::mutex mutex_;  // guards what follows
  std::deque<Caller*> waiting_;
  std::size_t senders_ = 0;
  std::size_t inside_ = 0;  // callers without a reply
  bool is_chosen_ = false;  // somebody was woken to send, and takes all that wait
};

}  // namespace semel::sdk
