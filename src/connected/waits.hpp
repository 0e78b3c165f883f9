#pragma once
#include <semel/v1/task.grpc.pb.h>

#include <memory>
#include <mutex>
#include <vector>

#include "connected/channel.hpp"

namespace semel::connected {

/// Connections for calls that last: a server takes a limited number of calls on each, and one that waits for a result
/// must not keep others from being made. From any thread.
class Waits {
 public:
  explicit Waits(const Channels& channels) : channels_(channels) {}

  /// The first with room, or one more. Each begin() has its end().
  v1::TaskService::Stub& begin(std::size_t& place);
  void end(std::size_t place);

 private:
  struct Entry {
    std::unique_ptr<v1::TaskService::Stub> stub{};
    std::size_t calls = 0;
  };

  const Channels& channels_;
  std::mutex mutex_;  // guards what follows
  std::vector<Entry> entries_;
};

}  // namespace semel::connected
