#pragma once
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "domain/id.hpp"
#include "domain/identity.hpp"
#include "domain/kind.hpp"
#include "domain/retry.hpp"
#include "domain/state.hpp"
#include "domain/window.hpp"

namespace semel::domain {

/// The template that an execution was made from.
struct NamedTask {
  Uuid uuid;  // named_task_uuid() of tenant, namespace_ and name: stores derive it and do not keep it
  std::string namespace_;
  std::string name;
  std::string version;
  int revision = 1;

  bool operator==(const NamedTask&) const = default;
};

using Labels = std::vector<std::pair<std::string, std::string>>;

/// What a task of a run, or something that a code workflow has begun, is in it.
struct StepOf {
  ExecutionId run;
  std::string task_key;               // "charge", "mail[17]", "charge#7": unique in its run
  std::optional<std::string> item{};  // of a fan-out: canonical JSON

  bool operator==(const StepOf&) const = default;
};

/// What an execution does, and for whom: the part that does not change after creation.
struct ExecutionSpec {
  std::string tenant;
  ExecutionId id;
  bool client_made_id = false;
  Kind kind = Kind::task;
  std::optional<NamedTask> named_task;
  std::string handler;
  std::string queue;
  int priority = 0;
  Duration head_start{0};  // priority_seconds: as if enqueued that much earlier
  RetryPolicy retry;
  std::optional<Duration> timeout;             // of one attempt, whatever its heartbeats say
  std::optional<std::string> concurrency_key;  // only so many tasks of the queue with the same run at once
  std::string context;                         // the caller's text; of a step of a run: empty, see StepInput
  Identity identity;
  std::optional<std::string> key;
  std::optional<Hash32> fingerprint;  // absent where nothing could ever be compared with it
  Window window;
  std::string created_by;
  Labels labels;
  std::string traceparent;
  std::optional<StepOf> step{};  // absent: it is no task of a run
};

/// How far a worker says it has come.
struct Progress {
  int millionths = 0;  // done
  std::string message{};

  bool operator==(const Progress&) const = default;
};

/// An execution as it is stored.
struct Execution {
  ExecutionSpec spec;
  State state = State::pending;
  Time created_at;
  Time run_at;
  std::optional<Time> started_at;
  std::optional<Time> closed_at;
  std::optional<std::string> result;  // JSON text; absent = the handler returned nothing
  std::optional<std::string> error;   // JSON text {"type", "message", …}
  std::optional<ExecutionId> previous;
  std::optional<Time> released_at;
  std::optional<Time> deadline;  // of the whole
  int attempt = 0;               // number of the newest attempt
  int uncounted_attempts = 0;    // of those: before it was reopened by hand, or never delivered
  bool cancel_requested = false;
  std::optional<Progress> progress;  // of the newest attempt

  /// The key, else the execution's UUID.
  std::string task_id() const { return spec.key ? *spec.key : spec.id.text(); }
};

/// Whether the deadline of the whole has passed.
inline bool is_late(const Execution& execution, Time now) { return execution.deadline && *execution.deadline <= now; }

/// The place in the queue, before the id: highest priority first, then this, then the id.
inline Time order_time(Time run_at, Duration head_start) { return run_at - head_start; }

/// Sorts the one first that is claimed first.
inline auto place_in_queue(const Execution& execution) {
  const ExecutionSpec& spec = execution.spec;
  return std::tuple(-spec.priority, order_time(execution.run_at, spec.head_start), spec.id);
}

}  // namespace semel::domain
