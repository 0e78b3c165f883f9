#include "parquet/attempt_stream.hpp"

#include <array>
#include <utility>

#include "base/ensure.hpp"
#include "domain/dispatch.hpp"
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
    : attempts_reader_(snapshot, store::dump::table_named("attempts")), executions_(snapshot, of_execution::table) {}

bool AttemptStream::next() {
  if (at_ + 1 >= attempts_.size()) return next_execution();
  at_ += 1;
  return true;
}

bool AttemptStream::next_execution() {
  if (!std::exchange(is_begun_, true)) ahead_ = read();
  attempts_.clear();
  at_ = 0;
  if (!ahead_) return false;
  const std::string tenant = tenant_of_ahead_;
  const domain::ExecutionId id = ahead_->execution_id;
  read_execution();
  do {
    attempts_.push_back(*std::move(ahead_));
    ahead_ = read();
  } while (ahead_ && ahead_->execution_id == id && tenant_of_ahead_ == tenant);
  return true;
}

std::string AttemptStream::run_id() const { return run_of(execution_.spec).text(); }

const std::string& AttemptStream::task_key() const {
  const domain::ExecutionSpec& spec = execution_.spec;
  return spec.step ? spec.step->task_key : spec.handler;
}

std::optional<domain::Attempt> AttemptStream::read() {
  using namespace of_attempt;
  if (!attempts_reader_.next()) return std::nullopt;
  tenant_of_ahead_ = attempts_reader_.text(tenant);
  domain::Attempt made;
  made.id = {attempts_reader_.uuid(id)};
  made.execution_id = {attempts_reader_.uuid(execution_id)};
  made.number = static_cast<int>(attempts_reader_.number(number));
  made.worker = attempts_reader_.text(worker);
  made.started_at = attempts_reader_.time(started_at);
  made.lease_until = attempts_reader_.time(lease_until);
  made.ended_at = attempts_reader_.optional_time(ended_at);
  made.outcome = static_cast<domain::AttemptOutcome>(attempts_reader_.number(outcome));
  if (attempts_reader_.has(error)) made.error = attempts_reader_.text(error);
  made.stale_results = static_cast<int>(attempts_reader_.number(stale_results));
  return made;
}

void AttemptStream::read_execution() {
  using namespace of_execution;
  const bool is_there = executions_.seek(tenant_of_ahead_, ahead_->execution_id.uuid.view());
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
