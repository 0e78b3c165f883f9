#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sdk/client_core.hpp"
#include "sdk/testing/memory_backend.hpp"
#include "sdk/workflow/activations.hpp"
#include "semel/testing.hpp"

namespace semel::testkit {

/// When the worker dies: at the end of the activation of that number, from 1.
struct Death {
  std::size_t activation = 0;  // 0 = never
  bool has_answered = false;
};

/// A workflow, its fakes, and one run of it after the other.
class WorkflowTest::Stage {
 public:
  explicit Stage(std::string kind) : kind_(std::move(kind)) {}

  sdk::WorkflowFunctions workflows;
  std::map<std::string, detail::TaskFunction> tasks;
  std::multimap<Duration, std::function<void(Client&)>> outside;
  std::size_t cached_workflows = 1'000;

  detail::Closing run(const std::string& input, Death death);

  // ---- of the last run
  std::vector<std::string> tasks_done;
  std::size_t activations = 0;
  Duration elapsed() const { return server_ ? server_->now() - began_ : Duration::zero(); }
  std::string status() const { return server_ ? server_->status_text(id_) : ""; }
  std::string history() const;

 private:
  void begin(const std::string& input);
  /// False when there was nothing to do.
  bool step(Death death);
  bool activate(Death death);
  bool do_task();
  void die();
  /// Moves the clock to the next thing that happens by itself.
  void wait();
  [[noreturn]] void be_stuck() const;
  sdk::Poll poll_for(std::vector<std::string> handlers) const;

  const std::string kind_;
  std::shared_ptr<sdk::MemoryBackend> server_;
  std::unique_ptr<sdk::Activations> worker_;
  std::optional<Client> client_;
  std::multimap<Duration, std::function<void(Client&)>>::iterator next_outside_;
  std::string id_;
  std::string input_;
  Time began_{};
};

}  // namespace semel::testkit
