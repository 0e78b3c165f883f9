#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace semel::engine {

/// Who asks this server for work. In memory only: after a restart a worker is known again when it asks again, and of
/// servers that share a store each knows those that ask it. Any thread.
class WorkerRegistry {
 public:
  struct Asking {
    std::string worker{};
    std::vector<std::string> queues{};
    std::optional<std::vector<std::string>> handlers{};  // absent: whatever is there
  };
  struct Seen {
    Asking asking{};  // what it asked for last
    Time asked_at{};  // last
    int waiting = 0;  // so many of its polls are open: it has room for work, and there is none
  };

  /// A worker asks for work, and waits for it until the last copy of what this gives is gone, which may outlive this.
  std::shared_ptr<void> asks(const std::string& tenant, Asking asking, Time now);
  /// Those that asked within the last hour, by name.
  std::vector<Seen> list(const std::string& tenant, Time now);

  static constexpr Duration remembered_for = 1h;
  static constexpr std::size_t workers_max = 10'000;  // of all tenants; more are not looked after

 private:
  using Name = std::pair<std::string, std::string>;  // tenant, worker
  struct Workers {
    void forget_old(Time now);

    std::mutex mutex;  // guards what follows
    std::map<Name, Seen> seen;
  };

  const std::shared_ptr<Workers> workers_ = std::make_shared<Workers>();
};

}  // namespace semel::engine
