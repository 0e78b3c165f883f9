// The tables of the common form. The columns of both databases have the same names and meanings; where they do not, the
// store's own dump.cpp says what is read instead. A new column of a store is a line here; a test compares this list
// with the columns of both.
#include <algorithm>
#include <array>

#include "base/ensure.hpp"
#include "store/common/dump.hpp"

namespace semel::store::dump {
namespace {

constexpr Field tenant{"tenant", Kind::text};

constexpr std::array executions{
    tenant,
    Field{"id", Kind::uuid},
    Field{"seq", Kind::integer},
    Field{"kind", Kind::integer},
    Field{"state", Kind::integer},
    Field{"phase", Kind::integer},
    Field{"queue", Kind::text},
    Field{"handler", Kind::text},
    Field{"priority", Kind::integer},
    Field{"order_at", Kind::integer},
    Field{"run_at", Kind::integer},
    Field{"created_at", Kind::integer},
    Field{"created_by", Kind::text},
    Field{"namespace", Kind::text},
    Field{"name", Kind::text},
    Field{"version", Kind::text},
    Field{"revision", Kind::integer},
    Field{"key", Kind::text},
    Field{"identity_mode", Kind::integer},
    Field{"strategy", Kind::integer},
    Field{"scope", Kind::integer},
    Field{"bucket", Kind::integer},
    Field{"hash", Kind::bytes},
    Field{"fingerprint", Kind::bytes},
    Field{"window_kind", Kind::integer},
    Field{"window_ms", Kind::integer},
    Field{"client_made_id", Kind::boolean},
    Field{"previous", Kind::uuid},
    Field{"labels", Kind::text},
    Field{"traceparent", Kind::text},
    Field{"retry", Kind::text},
    Field{"timeout_ms", Kind::integer},
    Field{"deadline", Kind::integer},
    Field{"concurrency_key", Kind::text},
    Field{"attempt", Kind::integer},
    Field{"uncounted_attempts", Kind::integer},
    Field{"cancel_requested", Kind::boolean},
    Field{"started_at", Kind::integer},
    Field{"closed_at", Kind::integer},
    Field{"released_at", Kind::integer},
    Field{"progress", Kind::integer},
    Field{"progress_message", Kind::text},
    Field{"run", Kind::uuid},
    Field{"task_key", Kind::text},
    Field{"item", Kind::text},
    Field{"awaited", Kind::boolean},
    Field{"context", Kind::text},
    Field{"result", Kind::text},
    Field{"error", Kind::text},
};

constexpr std::array identities{tenant, Field{"hash", Kind::bytes}, Field{"execution_id", Kind::uuid}};

constexpr std::array tombstones{
    tenant,
    Field{"id", Kind::uuid},
    Field{"hash", Kind::bytes},
    Field{"kind", Kind::integer},
    Field{"named_task", Kind::uuid},
    Field{"handler", Kind::text},
    Field{"state", Kind::integer},
    Field{"created_at", Kind::integer},
    Field{"closed_at", Kind::integer},
    Field{"window_kind", Kind::integer},
    Field{"window_ms", Kind::integer},
    Field{"fingerprint", Kind::bytes},
    Field{"created_by", Kind::text},
    Field{"released_at", Kind::integer},
    Field{"client_made_id", Kind::boolean},
    Field{"expires_at", Kind::integer},
};

constexpr std::array attempts{
    tenant,
    Field{"execution_id", Kind::uuid},
    Field{"number", Kind::integer},
    Field{"id", Kind::uuid},
    Field{"worker", Kind::text},
    Field{"started_at", Kind::integer},
    Field{"lease_until", Kind::integer},
    Field{"ended_at", Kind::integer},
    Field{"outcome", Kind::integer},
    Field{"error", Kind::text},
    Field{"stale_results", Kind::integer},
    Field{"last_heartbeat_at", Kind::integer},
};

constexpr std::array duplicates{tenant, Field{"id", Kind::uuid}, Field{"count", Kind::integer},
                                Field{"last", Kind::text}};

constexpr std::array templates{
    tenant,
    Field{"namespace", Kind::text},
    Field{"name", Kind::text},
    Field{"version", Kind::text},
    Field{"revision", Kind::integer},
    Field{"document", Kind::text},
    Field{"created_at", Kind::integer},
    Field{"removed_at", Kind::integer},
};

constexpr std::array queues{
    tenant,
    Field{"name", Kind::text},
    Field{"retention_ms", Kind::integer},
    Field{"rate_count", Kind::integer},
    Field{"rate_ms", Kind::integer},
    Field{"rate_burst", Kind::integer},
    Field{"max_running", Kind::integer},
    Field{"max_running_per_key", Kind::integer},
    Field{"paused", Kind::boolean},
    Field{"reuse", Kind::integer},
    Field{"window_kind", Kind::integer},
    Field{"window_ms", Kind::integer},
    Field{"target", Kind::text},
    Field{"target_timeout_ms", Kind::integer},
    Field{"target_window_ms", Kind::integer},
    Field{"heartbeat_timeout_ms", Kind::integer},
    Field{"max_in_flight", Kind::integer},
};

constexpr std::array dispatches{
    tenant,
    Field{"attempt_id", Kind::uuid},
    Field{"execution_id", Kind::uuid},
    Field{"number", Kind::integer},
    Field{"repair", Kind::integer},
    Field{"dispatch_id", Kind::text},
    Field{"external_id", Kind::text},
    Field{"state", Kind::integer},
    Field{"sends", Kind::integer},
    Field{"created_at", Kind::integer},
    Field{"due_at", Kind::integer},
    Field{"accepted_at", Kind::integer},
    Field{"next_send_at", Kind::integer},
    Field{"answer", Kind::text},
};

constexpr std::array secrets{tenant, Field{"name", Kind::text}, Field{"value", Kind::bytes}};

constexpr std::array schedules{
    tenant,
    Field{"name", Kind::text},
    Field{"id", Kind::uuid},
    Field{"version", Kind::integer},
    Field{"document", Kind::text},
    Field{"paused", Kind::boolean},
    Field{"created_at", Kind::integer},
    Field{"changed_at", Kind::integer},
    Field{"changed_by", Kind::text},
    Field{"handled", Kind::integer},
    Field{"next_at", Kind::integer},
    Field{"last_nominal", Kind::integer},
    Field{"last_at", Kind::integer},
    Field{"last_outcome", Kind::integer},
    Field{"last_task", Kind::uuid},
    Field{"last_error", Kind::text},
    Field{"task", Kind::uuid},
    Field{"submitted", Kind::integer},
    Field{"skipped", Kind::integer},
    Field{"refused", Kind::integer},
};

constexpr std::array api_keys{
    tenant,
    Field{"id", Kind::text},
    Field{"name", Kind::text},
    Field{"permissions", Kind::integer},
    Field{"secret_hash", Kind::bytes},
    Field{"created_at", Kind::integer},
    Field{"created_by", Kind::text},
    Field{"expires_at", Kind::integer},
    Field{"revoked_at", Kind::integer},
};

constexpr std::array audit{
    tenant,
    Field{"seq", Kind::integer},
    Field{"at", Kind::integer},
    Field{"actor", Kind::text},
    Field{"action", Kind::text},
    Field{"subject", Kind::text},
};

constexpr std::array plans{tenant, Field{"hash", Kind::bytes}, Field{"document", Kind::text}};

constexpr std::array runs{tenant, Field{"id", Kind::uuid}, Field{"plan", Kind::bytes}, Field{"facts", Kind::text},
                          Field{"history_length", Kind::integer}};

constexpr std::array outcomes{tenant, Field{"run", Kind::uuid}, Field{"step", Kind::text}, Field{"result", Kind::text},
                              Field{"error", Kind::text}};

constexpr std::array history{
    tenant,
    Field{"run", Kind::uuid},
    Field{"sequence", Kind::integer},
    Field{"at", Kind::integer},
    Field{"kind", Kind::integer},
    Field{"task_key", Kind::text},
    Field{"detail", Kind::text},
};

constexpr std::array attachments{tenant, Field{"id", Kind::uuid}, Field{"holder", Kind::uuid}};

constexpr std::array workflows{
    tenant,
    Field{"id", Kind::uuid},
    Field{"phase", Kind::integer},
    Field{"history_length", Kind::integer},
    Field{"history_bytes", Kind::integer},
    Field{"first_event", Kind::integer},
    Field{"seen", Kind::integer},
    Field{"last_command", Kind::integer},
    Field{"first_command", Kind::integer},
    Field{"open_children", Kind::integer},
    Field{"abandon", Kind::boolean},
    Field{"last_activation", Kind::uuid},
    Field{"status", Kind::text},
};

constexpr std::array timers{tenant, Field{"run", Kind::uuid}, Field{"command", Kind::integer},
                            Field{"fire_at", Kind::integer}};

constexpr std::array signals{tenant, Field{"run", Kind::uuid}, Field{"name", Kind::text}, Field{"key", Kind::text}};

constexpr std::array facts{Field{"name", Kind::text}, Field{"value", Kind::integer}};

constexpr std::array all{
    Table{"executions", executions, 2}, Table{"identities", identities, 2}, Table{"tombstones", tombstones, 2},
    Table{"attempts", attempts, 4},     Table{"duplicates", duplicates, 2}, Table{"templates", templates, 5},
    Table{"queues", queues, 2},         Table{"schedules", schedules, 2},   Table{"api_keys", api_keys, 2},
    Table{"audit", audit, 2},           Table{"plans", plans, 2},           Table{"runs", runs, 2},
    Table{"outcomes", outcomes, 3},     Table{"history", history, 3},       Table{"attachments", attachments, 2},
    Table{"workflows", workflows, 2},   Table{"timers", timers, 3},         Table{"signals", signals, 4},
    Table{"dispatches", dispatches, 2}, Table{"secrets", secrets, 2},       Table{"facts", facts, 1},
};

}  // namespace

std::span<const Table> tables() { return all; }

const Table& table_named(std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Table& table) { return table.name == name; });
  ensure(found != all.end());
  return *found;
}

const Table& holders() {
  static constexpr std::array fields{tenant, Field{"execution_id", Kind::uuid}, Field{"hash", Kind::bytes}};
  static constexpr Table table{"holders", fields, 2};
  return table;
}

}  // namespace semel::store::dump
