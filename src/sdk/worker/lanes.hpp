#pragma once
#include <map>
#include <string>
#include <vector>

#include "sdk/backend.hpp"
#include "semel/worker_options.hpp"

namespace semel::sdk {

/// Which handlers a worker has, and how much of each it can begin now: those with a limit of their own have a lane of
/// their own, the others share one for each queue. One thread at a time.
class Lanes {
 public:
  Lanes(int tasks_max, int activations_max) : tasks_left_(tasks_max), activations_left_(activations_max) {}

  void add_task(const std::string& handler, const TaskOptions& options) { add(handler, options, false); }
  void add_workflow(const std::string& kind, const TaskOptions& options) { add("workflow:" + kind, options, true); }
  bool empty() const { return lanes_.empty(); }

  /// Those with room. What the worker can do is shared among them, and who is first takes turns.
  std::vector<Lane> open();
  /// Whether the last open() left out some that could begin something: there were more of them than there is room.
  /// Their turn is the next.
  bool leaves_out() const { return leaves_out_; }
  void take(const std::string& handler);
  void give_back(const std::string& handler);

 private:
  struct Entry {
    Lane lane{};  // its room is what is left of its own limit
    bool has_limit = false;
    bool is_workflow = false;
  };

  void add(const std::string& handler, const TaskOptions& options, bool is_workflow);
  std::vector<Lane> share(bool of_workflows, int left);
  int& left_of(const Entry& entry) { return entry.is_workflow ? activations_left_ : tasks_left_; }

  std::vector<Entry> lanes_;
  std::map<std::string, std::size_t> lane_of_;  // by handler
  int tasks_left_;
  int activations_left_;
  std::size_t turn_ = 0;
  bool leaves_out_ = false;
};

}  // namespace semel::sdk
