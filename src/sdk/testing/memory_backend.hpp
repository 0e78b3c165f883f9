#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sdk/testing/memory_execution.hpp"

namespace semel::sdk {

/// A server in the memory of a test, with a clock that stands until it is moved: small, but a workflow cannot tell it
/// from the real one. There are no settings of queues, and nothing is ever removed. Callable from any thread.
class MemoryBackend final : public Backend {
 public:
  explicit MemoryBackend(Time now) : now_(now) {}

  std::vector<Reply<Submitted>> submit(std::span<const Submission> submissions) override;
  Reply<Submitted> start_workflow(const WorkflowStart& start) override;
  void await_result(const std::string& id, Duration wait, std::function<void(Reply<State>)> then) override;
  Reply<std::optional<std::string>> custom_status(const Target& workflow) override;
  Reply<bool> signal(const SignalRequest& request) override;
  Reply<Submitted> create_promise(const PromiseRequest& request) override;
  Reply<bool> settle_promise(const Settlement& settlement) override;
  Reply<Status> cancel(const CancelRequest& request) override;
  Reply<void> configure_queue(const std::string& name, const QueueSettings& settings) override;
  Reply<std::vector<Lease>> poll(const Poll& poll, std::stop_token stop) override;
  std::vector<Lease> end_polling(const std::string&) override { return {}; }
  std::vector<Reply<AnswerOutcome>> answer(std::span<const Answer> answers) override;
  Reply<HistoryPage> history(const std::string& workflow, std::uint64_t after, int limit) override;

  // ---- for tests
  Time now() const;
  /// Moves the clock: timers fire, leases end, promises are too late, tasks become due.
  void advance_to(Time time);
  /// When the clock would have to be for the next of these to happen, if any. Leases do not count.
  std::optional<Time> next_time() const;
  /// As if the workers that have these leases were gone.
  void end_leases();
  std::optional<State> state(const std::string& id) const;
  std::string status_text(const std::string& id) const;
  std::vector<Event> whole_history(const std::string& id) const;
  std::map<std::string, QueueSettings> queues() const;
  /// Those that something was put into.
  std::vector<std::string> used_queues() const;
  /// At most so many events come with an activation; the others are read in pages.
  void set_events_a_lease(std::size_t count);

 private:
  using Execution = MemoryExecution;

  // ---- memory_backend.cpp
  Execution& make(Execution::Kind kind, std::string id, std::string handler);
  Execution* find(const std::string& id);
  Execution* find(const Target& target);
  /// Tells who waits, and the workflow that it is part of.
  void close(Execution& execution, detail::Closing closing);
  void wake_pollers() { changed_.notify_all(); }
  std::string next_id();
  Reply<Submitted> submit_one(const Submission& submission);
  Status cancel_one(Execution& execution, bool force);

  // ---- memory_keys.cpp
  /// A request that brings a key.
  struct KeyRequest {
    Execution::Kind kind;
    const std::string& handler;
    const std::string& key;
    MemoryIdentity identity;
  };
  static MemoryIdentity identify(Execution::Kind kind, const std::string& context, std::optional<Duration> ttl);
  Execution* holder_of(const std::string& key);
  /// What a request gets whose key another has; nothing when it may take it.
  std::optional<Reply<Submitted>> answer_held(const KeyRequest& request, const detail::IdentitySettings& settings);
  void take_key(Execution& execution, const KeyRequest& request);
  void enter_part(Execution& part, OnKeyConflict on_conflict);
  void tell_attached(const Execution& holder);

  // ---- memory_worker.cpp
  std::vector<Lease> claim(const Poll& poll);
  Lease lease_to(Execution& execution, Duration time);
  Activation activation_of(Execution& workflow);
  AnswerOutcome answer_one(const Answer& answer);
  void fail_attempt(Execution& execution, const AttemptFailure& failure);

  // ---- memory_workflow.cpp
  void append(Execution& workflow, std::string kind, std::string task_key, std::string detail);
  void wake(Execution& workflow);
  void has_closed(Execution& child);
  /// That another has the key of what a command has made.
  void note_key(const Execution& part, std::string kind, const std::string& holder);
  void end_activation(Execution& workflow, const ActivationEnd& end);
  void note_command(Execution& workflow, const Command& command);
  void carry_out(Execution& workflow, const Command& command);
  Execution& make_part(Execution& workflow, std::uint64_t number, Execution::Kind kind, std::string handler);
  void schedule(Execution& workflow, std::uint64_t number, const ScheduleTask& task);
  void start_child(Execution& workflow, std::uint64_t number, const StartChild& child);
  void make_promise(Execution& workflow, std::uint64_t number, const MakePromise& promise);
  void end_workflow(Execution& workflow, const End& end, std::uint64_t seen);
  void continue_as_new(Execution& workflow, const ContinueWith& next, std::uint64_t seen);
  void leave_open_parts(Execution& workflow);
  Execution* part(const Execution& workflow, std::uint64_t number);

  // ---- memory_time.cpp
  void let_time_pass();
  void end_lease(Execution& execution);

  /// Does it under the lock, and then what was put off until that is free.
  template <typename F>
  auto locked(F&& act);

  mutable std::mutex mutex_;  // guards all that follows
  std::condition_variable_any changed_;
  Time now_;
  std::uint64_t made_ = 0;
  std::uint64_t ids_ = 0;
  std::size_t events_a_lease_ = 1'000;
  std::map<std::string, Execution> executions_;            // by id; never removed, so that references stay
  std::unordered_map<std::string, std::string> attempts_;  // whose
  std::map<std::string, std::string> keys_;                // which execution holds it
  std::map<std::string, QueueSettings> queues_;
  std::vector<std::function<void()>> calls_;  // to make when the lock is given back
};

}  // namespace semel::sdk
