#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "domain/api_key.hpp"
#include "domain/dispatch_timer.hpp"
#include "domain/explain.hpp"
#include "domain/principal.hpp"
#include "domain/schedule/definition.hpp"
#include "engine/activity.hpp"
#include "engine/queue_rates.hpp"
#include "engine/template_registry.hpp"
#include "ports/command.hpp"
#include "ports/dispatch.hpp"
#include "ports/list.hpp"
#include "ports/run.hpp"

/// What the engine's use cases answer. The codec turns these into bytes.
namespace semel::engine {

/// The submission created an execution.
struct NewTask {
  domain::ExecutionId id;
  std::string task_id;
  std::optional<domain::ExecutionId> previous;
  bool key_used = false;
  std::size_t step_count = 1;
  domain::State state = domain::State::pending;
  std::optional<domain::Execution> execution;  // after a wait: as it is now
};

/// The submission met a holder.
struct DuplicateTask {
  domain::DuplicateAnswer answer = domain::DuplicateAnswer::opaque;
  std::string task_id;
  bool key_used = false;
  std::size_t step_count = 1;
  Held held;
  std::vector<std::string> pointers;  // of other_payload: where it differs
};

/// A use case refuses before anything is looked up (Error), or answers one of these.
using SubmitAnswer = std::variant<NewTask, DuplicateTask, Error>;

/// "409 CONFLICT", "200": as it stands in the duplicates' log.
std::string summary_of(const DuplicateTask& duplicate);

/// The steps of a run, as they are now.
struct RunView {
  StoredRun run;
  std::vector<std::optional<domain::State>> tasks{};  // of each step with one open task: that one's state
};

/// A workflow that is written as code, as it is now.
struct WorkflowView {
  domain::Execution execution;
  StoredWorkflow workflow;
};

struct TaskView {
  domain::Execution execution;
  std::optional<RunView> run{};  // of a run of steps
  std::vector<domain::Attempt> attempts;
  DuplicateTally duplicates;
  bool held = false;                            // whether it holds its identity now
  std::optional<Time> window_end;               // when it stops holding it, where known
  std::vector<StoredDispatch> dispatches{};     // of attempts that were pushed, newest first
  std::vector<domain::DispatchTimer> timers{};  // of those
};

/// One attempt with its two identifiers, and where it is.
struct DispatchView {
  domain::Execution execution;
  int attempt = 1;
  domain::DispatchIds ids;
  std::optional<StoredDispatch> pushed{};       // absent: a worker polled for it
  std::optional<domain::Attempt> record{};      // absent: it has not begun
  std::vector<domain::DispatchTimer> timers{};  // of this attempt, pushed or not
};

/// A look for an external identifier that is not over: whoever goes on from `next` misses nothing.
struct DispatchSearch {
  std::size_t looked_at = 0;             // executions
  std::optional<Time> looked_back_to{};  // when the last of them was created
  std::string next;
};
using DispatchFound = std::variant<DispatchView, DispatchSearch>;

struct KeyView {
  Held held;
  bool is_held = false;  // false: released, or its window has passed
  std::optional<Time> window_end;
};

struct ResultView {
  domain::State state = domain::State::pending;
  std::optional<Time> closed_at;
  std::optional<std::string> result;
  std::optional<std::string> error;
};

struct HistoryView {
  std::vector<HistoryEntry> entries;
  std::optional<std::int64_t> next;  // the last of them, when there are more
};

struct QueueView {
  std::string name;
  domain::QueueOptions said;  // by the tenant
  domain::QueueSettings settings;
  QueueDepth depth;
  /// Absent in the answer to a change, and of a queue that is not counted since there are too many.
  std::optional<QueueRates::Rates> rates{};
};

struct ScheduleView {
  domain::ScheduleRecord record;
  std::optional<domain::ScheduleDefinition> definition;  // absent: this server cannot read it
  std::string unreadable;                                // why
  std::vector<Time> upcoming{};                          // the next firings
  std::optional<domain::State> task_state{};             // of the task that was made last, when one is asked for
};

/// What is done to many tasks at once.
enum class BulkAct : std::uint8_t { cancel, retry, remove };

/// What became of one page of them.
struct BulkAnswer {
  std::size_t matched = 0;  // of those that this can be done to at all
  std::size_t done = 0;     // the others had changed in between, or could not be done
  std::optional<std::string> next{};
};

/// How many executions fit a list: all of them, or at least so many.
struct CountView {
  std::size_t count = 0;
  bool is_exact = true;
};

enum class OverviewSpan : std::uint8_t { hour, day };

/// What a tenant's executions came to lately.
struct OverviewView {
  OverviewSpan span = OverviewSpan::hour;
  Time now{};
  Time since{};  // when this server began to count
  Duration interval{};
  std::vector<Activity::Point> points{};
  ActivityCounts totals{};
  std::optional<Activity::Quantiles> commit_times{};
};

/// Who asks, as far as that is for them to know.
struct WhoView {
  domain::Principal principal;
  std::optional<domain::ApiKey> key{};  // absent where none is needed
  bool requires_keys = false;
};

struct ExplainView {
  domain::Plan plan;
  domain::Explanation explanation;
  std::optional<Held> held;  // only for those who may read it
  std::vector<std::string> pointers;
};

}  // namespace semel::engine
