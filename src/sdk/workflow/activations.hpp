#pragma once
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "sdk/backend.hpp"
#include "sdk/workflow/instance.hpp"

namespace semel::sdk {

using WorkflowFunctions = std::map<std::string, detail::WorkflowFunction, std::less<>>;  // by kind

/// Answers activations of workflows, and keeps the coroutines that wait, so that the next one need not be replayed from
/// the beginning: the least recently used are let go when there are too many. Nothing is lost with one that is gone;
/// its history is read again. One thread at a time.
class Activations {
 public:
  /// All of these outlive it.
  Activations(Backend& backend, const WorkflowFunctions& functions, std::size_t kept_max);

  /// The lease is one of an activation.
  Answer answer(const Lease& lease);

  std::size_t kept() const { return instances_.size(); }
  /// How often a history was read from its beginning.
  std::size_t replays() const { return replays_; }

 private:
  using Order = std::list<std::string>;  // of use; the least recent first
  struct Kept {
    std::unique_ptr<Instance> instance;
    std::size_t sent = 0;  // commands by its last answer; the server writes one event for each
    int attempt = 0;       // the one that it has answered
    Order::iterator place;
  };

  Reply<Turn> advance(const Lease& lease, std::unique_ptr<Instance>& instance);
  /// The one that has seen exactly what the server says, if it is here.
  std::unique_ptr<Instance> take(const Lease& lease);
  void keep(const Lease& lease, std::unique_ptr<Instance> instance, std::size_t sent);
  Reply<std::vector<Event>> events_after(const Lease& lease, std::uint64_t after, std::vector<Event> events);

  Backend& backend_;
  const WorkflowFunctions& functions_;
  const std::size_t kept_max_;
  Order order_;
  std::unordered_map<std::string, Kept> instances_;
  std::size_t replays_ = 0;
};

}  // namespace semel::sdk
