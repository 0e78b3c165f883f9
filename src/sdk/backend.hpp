#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "sdk/commands.hpp"
#include "sdk/event.hpp"
#include "sdk/reply.hpp"
#include "semel/detail/closing.hpp"
#include "semel/queue_settings.hpp"
#include "semel/submit_options.hpp"

/// What clients and workers ask of a server, wherever that is: behind a connection, or an engine in this process. JSON
/// travels as text. A refusal says whether the same may be asked again.
namespace semel::sdk {

// ---- what clients ask

/// The id and the time are made by the client before its first try, so that trying again makes nothing twice.
struct Submission {
  std::string task_uuid{};
  Time requested_at{};
  std::string handler{};  // or, of a template:
  std::optional<NamedTask> template_{};
  std::string context{};
  SubmitOptions options{};
};

struct Submitted {
  std::string task_uuid{};
  bool is_new = true;
  Status status = Status::pending;
};

struct WorkflowStart {
  std::string execution_id{};
  Time requested_at{};
  std::string kind{};
  std::string workflow_id{};
  std::string input{};
  WorkflowOptions options{};
};

/// An execution, by its id or by its key.
struct Target {
  std::string id{};
  std::string key{};
};

struct SignalRequest {
  Target workflow{};
  std::string name{};
  std::string value{};
  std::string key{};  // a repetition with the same one changes nothing; empty = none
};

struct PromiseRequest {
  std::string promise_id{};
  Time requested_at{};
  MakePromise promise{};
};

/// Keeps a promise, or breaks it.
struct Settlement {
  Target promise{};
  std::variant<EndWith, FailWith> how{};
};

struct CancelRequest {
  Target execution{};
  bool force = false;
  std::string why{};
};

/// What a firing by hand came to.
struct Fired {
  std::string task_uuid{};  // empty: none was made
  std::string why_not{};
};

/// How it is now, and how it ended if it has.
struct State {
  Status status = Status::pending;
  detail::Closing closing{};
};

// ---- what workers ask

/// What a worker could begin now: so many tasks of these handlers, from these queues. Workflows are asked for as
/// "workflow:<kind>".
struct Lane {
  std::vector<std::string> queues{};
  std::vector<std::string> handlers{};
  int room = 0;
};

struct Poll {
  std::string session{};    // which worker of this process asks: two may have one name
  std::string worker_id{};  // that name
  std::vector<Lane> lanes{};
  Duration lease{};
  Duration wait{};
};

/// What is known of a workflow that is to go on.
struct Activation {
  std::string kind{};
  std::string workflow_id{};
  std::string input{};
  std::uint64_t from = 1;            // the first event of this generation
  std::uint64_t seen = 0;            // the last event that the last activation was given
  std::uint64_t history_length = 0;  // at least so many events are there
  std::uint64_t last_command = 0;
  std::vector<Event> events{};  // those after `seen`, or the first of them
};

struct Lease {
  std::string attempt_id{};
  std::string task_uuid{};
  std::string handler{};
  std::string queue{};
  int attempt = 1;
  std::string context{};
  std::string effect_key{};
  std::map<std::string, std::string> labels{};
  Time lease_until{};
  std::optional<Activation> activation{};  // of a workflow
};

struct Completion {
  std::optional<std::string> result{};
};
struct AttemptFailure {
  std::string error{};
  bool retryable = true;
  std::optional<Duration> retry_after{};
};
struct Heartbeat {
  Duration lease{};
  std::optional<std::string> progress{};  // JSON text
};
struct ActivationEnd {
  std::string workflow{};  // its execution
  std::uint64_t seen = 0;  // the last event that the code has been given
  std::vector<Command> commands{};
  std::optional<std::string> status{};
  std::optional<End> end{};
};

struct Answer {
  std::string attempt_id{};
  std::variant<Completion, AttemptFailure, Heartbeat, ActivationEnd> what{};
};

struct AnswerOutcome {
  enum class Kind : std::uint8_t { recorded, already_recorded, stale };

  Kind kind = Kind::recorded;
  bool should_cancel = false;
};

/// Callable from any thread. Nothing throws.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::vector<Reply<Submitted>> submit(std::span<const Submission> submissions) = 0;
  virtual Reply<Submitted> start_workflow(const WorkflowStart& start) = 0;
  /// Calls `then` once, on any thread: when the execution has closed, or after `wait` with how it is.
  virtual void await_result(const std::string& id, Duration wait, std::function<void(Reply<State>)> then) = 0;
  /// What a workflow says of itself, as JSON text; nothing when it has said nothing.
  virtual Reply<std::optional<std::string>> custom_status(const Target& workflow) = 0;
  /// False: this very signal had come before.
  virtual Reply<bool> signal(const SignalRequest& request) = 0;
  virtual Reply<Submitted> create_promise(const PromiseRequest& request) = 0;
  /// False: it had been settled before.
  virtual Reply<bool> settle_promise(const Settlement& settlement) = 0;
  virtual Reply<Status> cancel(const CancelRequest& request) = 0;
  virtual Reply<void> configure_queue(const std::string& name, const QueueSettings& settings) = 0;

  // Schedules are refused where there are none: in the memory of a test.
  /// The document is as in PUT /v1/schedules/{name}.
  virtual Reply<void> put_schedule(const std::string& /*name*/, const std::string& /*document*/) {
    return no_schedules();
  }
  virtual Reply<void> remove_schedule(const std::string& /*name*/) { return no_schedules(); }
  virtual Reply<void> pause_schedule(const std::string& /*name*/, bool /*paused*/) { return no_schedules(); }
  /// Fires once more, for that time: for the same one it is the same task.
  virtual Reply<Fired> run_schedule(const std::string& /*name*/, Time /*nominal*/) { return no_schedules(); }

  /// Waits until something can be begun, the time has passed, or the stop is asked for; a poll that is stopped still
  /// gives what it has got.
  virtual Reply<std::vector<Lease>> poll(const Poll& poll, std::stop_token stop) = 0;
  /// The worker polls no more: gives what was on its way to it. Once.
  virtual std::vector<Lease> end_polling(const std::string& session) = 0;
  /// One outcome for each answer, in order.
  virtual std::vector<Reply<AnswerOutcome>> answer(std::span<const Answer> answers) = 0;
  /// The events after `after`, at most so many.
  virtual Reply<HistoryPage> history(const std::string& workflow, std::uint64_t after, int limit) = 0;

 private:
  static tl::unexpected<Refusal> no_schedules() { return refused("NOT_SUPPORTED_YET", "there are no schedules here"); }
};

}  // namespace semel::sdk
