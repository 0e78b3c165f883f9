#pragma once
#include <grpcpp/client_context.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace semel::connected {

/// The calls and streams that gRPC has. Whoever ends calls them off, and waits until nothing will call back any more.
/// From any thread.
class UnderWay {
 public:
  UnderWay() = default;
  ~UnderWay() { end(); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  void add(const std::shared_ptr<grpc::ClientContext>& context) {
    bool is_late = false;
    {
      const std::lock_guard lock(mutex_);
      contexts_.emplace(context.get(), context);
      is_late = is_ending_;
    }
    if (is_late) context->TryCancel();
  }
  /// The last that a call does; it lets go of itself by it. That happens before end() can return: a context keeps its
  /// channel, and a channel that ended on gRPC's own thread would take away the queue which that thread serves.
  void remove(std::shared_ptr<grpc::ClientContext> context) {
    const std::lock_guard lock(mutex_);
    contexts_.erase(context.get());
    context.reset();
    if (contexts_.empty()) changed_.notify_all();
  }
  void end() {
    std::vector<std::shared_ptr<grpc::ClientContext>> contexts;
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
      for (const auto& [key, context] : contexts_) contexts.push_back(context);
    }
    for (const auto& each : contexts) each->TryCancel();  // which may call back at once
    contexts.clear();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return contexts_.empty(); });
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::unordered_map<const grpc::ClientContext*, std::shared_ptr<grpc::ClientContext>> contexts_;
  bool is_ending_ = false;
};

}  // namespace semel::connected
