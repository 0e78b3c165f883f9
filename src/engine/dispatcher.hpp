#pragma once
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/loop.hpp"
#include "base/seldom.hpp"
#include "domain/retry.hpp"
#include "engine/dispatcher_options.hpp"
#include "ports/store.hpp"

namespace semel::engine {

class Engine;

/// Pushes the tasks of queues that have a target (DESIGN §5, ADR 0021). For each such queue it polls as a worker would,
/// as long as fewer requests are under way than the queue allows; what has to be sent again, it takes from the store
/// when its time comes. Nothing is kept here that a crash could lose. Callable from any thread.
class Dispatcher {
 public:
  Dispatcher(Engine& engine, const DispatcherOptions& options) : engine_(engine), options_(options) {}

  /// When the server can be reached under this url: "https://semel.example".
  void start(std::string callback_url);
  /// Claims nothing more, and returns when nothing is under way: what it came to is among the commands.
  void stop();

  /// The queue may have tasks.
  void see(const std::string& tenant, const std::string& queue);
  /// What was said about queues has changed.
  void look_again();
  /// Something is to be sent again then.
  void expect(Time due);

 private:
  using Steady = std::chrono::steady_clock;
  using Place = std::pair<std::string, std::string>;  // tenant and queue

  /// One queue with a target.
  struct Lane {
    int in_flight = 0;   // requests under way
    bool polls = false;  // a claim is under way, or waits for tasks
    int failures = 0;    // answers in a row after which the target had nothing
    Steady::time_point rests_until{};
  };

  Duration pass();
  void find_lanes();
  void add_lane(const std::string& tenant, const std::string& queue);
  bool begins();
  Duration hold_for(Duration target_timeout) const;
  Duration hold_for_all() const;
  void take_due(const TakeDispatches& take);
  void taken(Result<Claimed> claimed);

  /// What was taken to be sent again.
  struct Sorted {
    std::vector<Lease> now;
    std::vector<std::pair<Lease, Duration>> later;  // and after which pause
  };
  Sorted sort(std::vector<Lease> leases);  // the lock is held
  void put_off(const Lease& lease, Duration pause);

  void poll(const Place& place);
  void polled(const Place& place, Result<std::vector<Lease>> leases);
  void send(const Place& place, Lease lease);
  void tell(const Lease& lease, const SendAnswer& answer);
  void answered(const Place& place, const Lease& lease, SendAnswer answer);
  void settle(const Lease& lease, const SendAnswer& answer);
  /// A request is over. `arrived`: the target is well.
  void leave(const Place& place, domain::AttemptId id, bool arrived);
  void wake();

  Engine& engine_;
  const DispatcherOptions& options_;
  Seldom troubles_;
  std::mutex mutex_;  // guards what follows
  std::map<Place, Lane> lanes_;
  std::map<domain::AttemptId, int> sending_;    // and under which name: the dispatch's repair
  std::map<domain::AttemptId, Lease> skipped_;  // taken under a new name while the request under the old one is open
  std::string callback_url_;                    // constant once it has started
  bool has_begun_ = false;                      // with its first pass
  bool is_stopping_ = false;
  bool must_look_ = true;
  bool takes_ = false;  // what is due is being taken
  std::optional<Loop> loop_;
};

}  // namespace semel::engine
