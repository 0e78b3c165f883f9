#include "parquet/attempt_stream.hpp"

#include <array>
#include <utility>

#include "base/ensure.hpp"
#include "parquet/output.hpp"

namespace semel::parquet {
namespace {

using store::dump::Kind;

namespace of_attempt {
enum : std::size_t {
  tenant,
  execution_id,
  number,
  id,
  worker,
  started_at,
  lease_until,
  ended_at,
  outcome,
  error,
  stale_results
};
}

namespace of_execution {
enum : std::size_t {
  tenant,
  id,
  kind,
  state,
  queue,
  handler,
  run_at,
  closed_at,
  attempt,
  uncounted_attempts,
  retry,
  run,
  task_key
};
constexpr std::array<store::dump::Field, 13> fields{{{"tenant", Kind::text},
                                                     {"id", Kind::uuid},
                                                     {"kind", Kind::integer},
                                                     {"state", Kind::integer},
                                                     {"queue", Kind::text},
                                                     {"handler", Kind::text},
                                                     {"run_at", Kind::integer},
                                                     {"closed_at", Kind::integer},
                                                     {"attempt", Kind::integer},
                                                     {"uncounted_attempts", Kind::integer},
                                                     {"retry", Kind::text},
                                                     {"run", Kind::uuid},
                                                     {"task_key", Kind::text}}};
constexpr store::dump::Table table{"executions", fields, 2};
}  // namespace of_execution

}  // namespace

AttemptStream::AttemptStream(Snapshot& snapshot)
    : attempts_(snapshot, store::dump::table_named("attempts")), executions_(snapshot, of_execution::table) {}

bool AttemptStream::next() {
  if (!std::exchange(is_begun_, true)) ahead_ = read();
  current_ = std::move(ahead_);
  if (!current_) return false;
  const bool is_of_another = execution_.spec.id != current_->execution_id || execution_.spec.tenant != tenant_of_ahead_;
  if (is_of_another) read_execution();
  ahead_ = read();
  return true;
}

std::optional<Time> AttemptStream::next_began() const {
  const bool is_of_same =
      ahead_ && ahead_->execution_id == current_->execution_id && tenant_of_ahead_ == execution_.spec.tenant;
  return is_of_same ? std::optional(ahead_->started_at) : std::nullopt;
}

std::string AttemptStream::run_id() const {
  const domain::ExecutionSpec& spec = execution_.spec;
  return spec.step ? spec.step->run.text() : spec.id.text();
}

const std::string& AttemptStream::task_key() const {
  const domain::ExecutionSpec& spec = execution_.spec;
  return spec.step ? spec.step->task_key : spec.handler;
}

std::optional<domain::Attempt> AttemptStream::read() {
  using namespace of_attempt;
  if (!attempts_.next()) return std::nullopt;
  tenant_of_ahead_ = attempts_.text(tenant);
  domain::Attempt made;
  made.id = {attempts_.uuid(id)};
  made.execution_id = {attempts_.uuid(execution_id)};
  made.number = static_cast<int>(attempts_.number(number));
  made.worker = attempts_.text(worker);
  made.started_at = attempts_.time(started_at);
  made.lease_until = attempts_.time(lease_until);
  made.ended_at = attempts_.optional_time(ended_at);
  made.outcome = static_cast<domain::AttemptOutcome>(attempts_.number(outcome));
  if (attempts_.has(error)) made.error = attempts_.text(error);
  made.stale_results = static_cast<int>(attempts_.number(stale_results));
  return made;
}

void AttemptStream::read_execution() {
  using namespace of_execution;
  const bool is_there = executions_.seek(tenant_of_ahead_, current_->execution_id.uuid.view());
  if (!is_there) throw StoreFault("an attempt has no execution: the store contradicts itself, see semel doctor");
  execution_.spec.tenant = executions_.text(tenant);
  execution_.spec.id = {executions_.uuid(id)};
  execution_.spec.kind = static_cast<domain::Kind>(executions_.number(kind));
  execution_.spec.queue = executions_.text(queue);
  execution_.spec.handler = executions_.text(handler);
  execution_.spec.retry = read_retry(executions_.value(retry));
  execution_.spec.step.reset();
  if (executions_.has(run))
    execution_.spec.step =
        domain::StepOf{{executions_.uuid(run)}, std::string(executions_.text(of_execution::task_key))};
  execution_.state = static_cast<domain::State>(executions_.number(state));
  execution_.run_at = executions_.time(run_at);
  execution_.closed_at = executions_.optional_time(closed_at);
  execution_.attempt = static_cast<int>(executions_.number(of_execution::attempt));
  execution_.uncounted_attempts = static_cast<int>(executions_.number(uncounted_attempts));
}

}  // namespace semel::parquet
