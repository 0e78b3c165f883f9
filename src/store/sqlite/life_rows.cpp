#include "store/sqlite/life_rows.hpp"

namespace semel::store::sqlite {

void set_running(Connection& connection, std::int64_t seq, int attempt, Time started_at, Phase phase) {
  connection
      .use(
          "UPDATE executions SET state = ?2, phase = ?5, attempt = ?4, started_at = ?3, progress = NULL,"
          " progress_message = NULL WHERE seq = ?1")
      ->bind(1, seq)
      .bind(2, static_cast<std::int64_t>(domain::State::running))
      .bind(3, started_at)
      .bind(4, std::int64_t{attempt})
      .bind(5, static_cast<std::int64_t>(phase))
      .run();
}

void insert_attempt(Connection& connection, const AttemptRow& row) {
  connection
      .use(
          "INSERT INTO attempts (id, tenant_id, seq, number, worker, started_at, lease_until, outcome)"
          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)")
      ->bind(1, row.id.uuid)
      .bind(2, row.tenant_id)
      .bind(3, row.seq)
      .bind(4, std::int64_t{row.number})
      .bind(5, row.worker)
      .bind(6, row.started_at)
      .bind(7, row.lease_until)
      .run();
}

void set_attempt_ended(Connection& connection, domain::AttemptId id, Time now, domain::AttemptOutcome outcome,
                       std::optional<std::string_view> error) {
  connection.use("UPDATE attempts SET ended_at = ?2, outcome = ?3, error = ?4 WHERE id = ?1")
      ->bind(1, id.uuid)
      .bind(2, now)
      .bind(3, static_cast<std::int64_t>(outcome))
      .bind(4, error)
      .run();
}

void set_closed(Connection& connection, std::int64_t seq, Time now, domain::State state, const Outputs& outputs) {
  connection.use("UPDATE executions SET state = ?2, closed_at = ?3, result = ?4, error = ?5 WHERE seq = ?1")
      ->bind(1, seq)
      .bind(2, static_cast<std::int64_t>(state))
      .bind(3, now)
      .bind(4, outputs.result)
      .bind(5, outputs.error)
      .run();
}

}  // namespace semel::store::sqlite
