// executions.parquet: a row for each task, run, code workflow and promise.
#include <array>

#include "parquet/mapped.hpp"

namespace semel::parquet {
namespace {

constexpr std::array execution_columns{
    Mapped{{"tenant", Type::text}, "tenant"},
    Mapped{{"execution_id", Type::text}, "id", as_uuid},
    Mapped{{"kind", Type::text}, "kind", as_kind},
    Mapped{{"status", Type::text}, "state", as_state},
    Mapped{{"queue", Type::text}, "queue"},
    Mapped{{"handler", Type::text}, "handler"},
    Mapped{{"namespace", Type::text}, "namespace"},
    Mapped{{"name", Type::text}, "name"},
    Mapped{{"version", Type::text}, "version"},
    Mapped{{"revision", Type::integer}, "revision"},
    Mapped{{"idempotency_key", Type::text}, "key"},
    Mapped{{"identity_mode", Type::text}, "identity_mode", as_identity_mode},
    Mapped{{"identity_hash", Type::text}, "hash", as_hex},
    Mapped{{"fingerprint", Type::text}, "fingerprint", as_hex},
    Mapped{{"window_kind", Type::text}, "window_kind", as_window_kind},
    Mapped{{"window_ms", Type::integer}, "window_ms"},
    Mapped{{"run_id", Type::text}, "run", as_uuid},
    Mapped{{"task_key", Type::text}, "task_key"},
    Mapped{{"item", Type::text}, "item"},
    Mapped{{"previous_id", Type::text}, "previous", as_uuid},
    Mapped{{"created_at", Type::time}, "created_at"},
    Mapped{{"created_by", Type::text}, "created_by", as_text},
    Mapped{{"run_at", Type::time}, "run_at"},
    Mapped{{"started_at", Type::time}, "started_at"},
    Mapped{{"closed_at", Type::time}, "closed_at"},
    Mapped{{"released_at", Type::time}, "released_at"},
    Mapped{{"deadline", Type::time}, "deadline"},
    Mapped{{"priority", Type::integer}, "priority"},
    Mapped{{"concurrency_key", Type::text}, "concurrency_key"},
    Mapped{{"timeout_ms", Type::integer}, "timeout_ms"},
    Mapped{{"retry", Type::text}, "retry", as_retry},
    Mapped{{"attempt", Type::integer}, "attempt"},
    Mapped{{"uncounted_attempts", Type::integer}, "uncounted_attempts"},
    Mapped{{"cancel_requested", Type::boolean}, "cancel_requested"},
    Mapped{{"progress_millionths", Type::integer}, "progress"},
    Mapped{{"progress_message", Type::text}, "progress_message", as_text},
    Mapped{{"labels", Type::text}, "labels"},
    Mapped{{"traceparent", Type::text}, "traceparent", as_text},
    Mapped{{"context", Type::text}, "context", as_text},
    Mapped{{"result", Type::text}, "result"},
    Mapped{{"error", Type::text}, "error"},
};
constexpr std::array columns_of_executions = columns_of(execution_columns);
constexpr std::array<std::string_view, 4> times_of_executions{"created_at", "started_at", "closed_at", "released_at"};

std::unique_ptr<Cursor> read_executions(Snapshot& snapshot, const Range& range) {
  return std::make_unique<MappedCursor>(
      snapshot, MappedCursor::Plan{store::dump::table_named("executions"), execution_columns, times_of_executions},
      range);
}

}  // namespace

File executions_file() {
  return {"executions", columns_of_executions, store::dump::table_named("executions"), read_executions};
}

}  // namespace semel::parquet
