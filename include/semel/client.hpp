#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "semel/handle.hpp"
#include "semel/queue_settings.hpp"
#include "semel/schedule.hpp"
#include "semel/step_options.hpp"
#include "semel/submit_options.hpp"

namespace semel {

class ClientOptions {
 public:
  ClientOptions() = default;

  /// How long a call tries again while the server cannot be reached. Trying again makes nothing twice: each request has
  /// its id before it is sent for the first time.
  ClientOptions& retry_for(Duration time) {
    retry_for_ = time;
    return *this;
  }

  Duration retry_for() const { return retry_for_; }

 private:
  Duration retry_for_ = std::chrono::seconds(30);
};

/// Asks a server, or an engine in this process. Copies are the same client. From any thread; calls that come at the
/// same time travel together.
///
/// What cannot be done throws: RequestRefused says why, ServerUnavailable that nobody answered.
class Client {
 public:
  explicit Client(std::shared_ptr<sdk::ClientCore> core) : core_(std::move(core)) {}

  /// Makes a task for a handler; `T` is what it returns.
  template <typename T = Json, typename Input>
  TaskHandle<T> submit(std::string_view handler, const Input& input, const SubmitOptions& options = SubmitOptions()) {
    return handle<TaskHandle<T>>(submit_text(handler, detail::encode(input), options));
  }
  /// Makes a task, or a run of steps, as a template on the server says.
  template <typename T = Json, typename Input>
  TaskHandle<T> submit(const NamedTask& name, const Input& input, const SubmitOptions& options = SubmitOptions()) {
    return handle<TaskHandle<T>>(submit_named(name, detail::encode(input), options));
  }

  /// Starts a workflow, unless one with this workflow_id is there: then that is what the handle stands for.
  template <typename T = Json, typename Input>
  WorkflowHandle<T> start_workflow(std::string_view kind, std::string_view workflow_id, const Input& input,
                                   const WorkflowOptions& options = WorkflowOptions()) {
    return handle<WorkflowHandle<T>>(start_text(kind, workflow_id, detail::encode(input), options));
  }

  /// What was made before, by its id.
  template <typename T = Json>
  TaskHandle<T> task(std::string id) const {
    return TaskHandle<T>(core_, std::move(id), false);
  }
  template <typename T = Json>
  WorkflowHandle<T> workflow(std::string id) const {
    return WorkflowHandle<T>(core_, std::move(id), false);
  }

  /// False: this very signal had come before.
  template <typename Value>
  bool signal_workflow(std::string_view workflow_id, std::string_view name, const Value& value,
                       std::string_view key = {}) {
    return signal_text(workflow_id, name, detail::encode(value), key);
  }

  /// What the code of a workflow has said last with `ctx.set_status`; nothing when it has said nothing.
  template <typename Said = Json>
  std::optional<Said> custom_status(std::string_view workflow_id) const {
    return detail::read_if<Said>(status_text(workflow_id));
  }

  /// A promise that somebody keeps, once. With a key that is there already, the handle stands for that one.
  template <typename T = Json>
  TaskHandle<T> create_promise(std::string_view key = {}, const PromiseOptions& options = PromiseOptions()) {
    return handle<TaskHandle<T>>(make_promise(key, options));
  }
  /// By its key. False: it had been settled before.
  template <typename Value>
  bool resolve_promise(std::string_view key, const Value& value) {
    return settle({}, key, detail::encode(value), {});
  }
  template <typename Value>
  bool resolve_promise_by_id(std::string_view id, const Value& value) {
    return settle(id, {}, detail::encode(value), {});
  }
  bool reject_promise(std::string_view key, const Failure& why) { return settle({}, key, {}, &why); }
  bool reject_promise_by_id(std::string_view id, const Failure& why) { return settle(id, {}, {}, &why); }

  void configure_queue(std::string_view name, const QueueSettings& settings);

  /// Makes a task for a handler at each of these times; a schedule of that name is replaced. Its tasks have the labels
  /// "semel.schedule" and "semel.nominal_time", the time that they are for.
  template <typename Input = Json>
  void set_schedule(std::string_view name, const Schedule& schedule, std::string_view handler,
                    const Input& input = Json::object()) {
    put_schedule(name, schedule, handler, detail::encode(input));
  }
  void remove_schedule(std::string_view name);
  /// Nothing fires meanwhile; times that pass are missed ones when it goes on.
  void pause_schedule(std::string_view name);
  void resume_schedule(std::string_view name);
  /// Fires once more, for a time that has been, or for now. For the same time it is the same task.
  template <typename T = Json>
  TaskHandle<T> run_schedule(std::string_view name, std::optional<Time> nominal = std::nullopt) {
    return handle<TaskHandle<T>>(fire(name, nominal));
  }

  const std::shared_ptr<sdk::ClientCore>& core() const { return core_; }

 private:
  using Made = std::pair<std::string, bool>;  // its id, and whether it is new

  template <typename Handle>
  Handle handle(Made made) const {
    return Handle(core_, std::move(made.first), made.second);
  }

  Made submit_text(std::string_view handler, std::string context, const SubmitOptions& options);
  Made submit_named(const NamedTask& name, std::string context, const SubmitOptions& options);
  Made start_text(std::string_view kind, std::string_view workflow_id, std::string input,
                  const WorkflowOptions& options);
  Made make_promise(std::string_view key, const PromiseOptions& options);
  Made fire(std::string_view name, std::optional<Time> nominal);
  void put_schedule(std::string_view name, const Schedule& schedule, std::string_view handler,
                    std::string_view context);
  std::optional<std::string> status_text(std::string_view workflow_id) const;
  bool signal_text(std::string_view workflow_id, std::string_view name, std::string value, std::string_view key);
  bool settle(std::string_view id, std::string_view key, std::string value, const Failure* why);

  std::shared_ptr<sdk::ClientCore> core_;
};

static_assert(!std::is_aggregate_v<ClientOptions>);

}  // namespace semel
