-- When the worker of an attempt, or the target that it was pushed to, was last heard of; absent: never. It is the last
-- column of both tables: attempts are put away by position.
ALTER TABLE semel.attempts ADD COLUMN last_heartbeat_at bigint;
ALTER TABLE semel.closed_attempts ADD COLUMN last_heartbeat_at bigint;

CREATE OR REPLACE VIEW semel.task_attempts AS
SELECT a.tenant, a.execution_id, a.number, a.id, a.worker,
       (ARRAY['running', 'completed', 'failed', 'lease_ended', 'timed_out', 'cancelled', 'undelivered'])[a.outcome + 1] AS outcome,
       semel.time_of(a.started_at) AS started_at, semel.time_of(a.lease_until) AS lease_until,
       semel.time_of(a.ended_at) AS ended_at, semel.as_jsonb(a.error) AS error,
       semel.time_of(a.last_heartbeat_at) AS last_heartbeat_at
FROM semel.attempts a
UNION ALL
SELECT c.tenant, c.execution_id, c.number, c.id, c.worker,
       (ARRAY['running', 'completed', 'failed', 'lease_ended', 'timed_out', 'cancelled', 'undelivered'])[c.outcome + 1],
       semel.time_of(c.started_at), semel.time_of(c.lease_until), semel.time_of(c.ended_at), semel.as_jsonb(c.error),
       semel.time_of(c.last_heartbeat_at)
FROM semel.closed_attempts c WHERE NOT semel.is_leaving(c.keep_days, c.closed_day);
