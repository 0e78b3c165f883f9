-- Workflows that are written as code (docs/adr/0018). Each is an execution of kind 1 whose handler begins with 'workflow:', with
-- a row here instead of one in `runs`; what it has begun are executions that name it as their run, with a '#' in their
-- task_key. Promises are executions of kind 2.
--
-- Lock order everywhere: identities by (tenant, hash), then queue_limits by (tenant, queue), then runs by (tenant, id), then
-- workflows by (tenant, id), then executions by (tenant, id), then plans, then usages. Whoever changes a workflow, or tells it
-- of something, holds its row here before he reads its execution: only from pending to running, which is what a claim does,
-- goes that without.

CREATE TABLE semel.workflows (
  tenant          text COLLATE "C" NOT NULL,
  id              uuid     NOT NULL,
  phase           smallint NOT NULL,  -- these are src/domain/workflow/code/facts.hpp
  history_length  bigint   NOT NULL,
  history_bytes   bigint   NOT NULL,
  first_event     bigint   NOT NULL,
  seen            bigint   NOT NULL,
  last_command    bigint   NOT NULL,
  first_command   bigint   NOT NULL,
  open_children   bigint   NOT NULL,
  abandon         boolean  NOT NULL,  -- it goes on when its parent ends
  last_activation uuid,               -- the attempt that was answered last
  status          text,               -- JSON: what its code says of itself
  PRIMARY KEY (tenant, id)
) WITH (fillfactor = 70);

-- Those that have neither fired nor been cancelled.
CREATE TABLE semel.timers (
  tenant  text COLLATE "C" NOT NULL,
  run     uuid   NOT NULL,
  command bigint NOT NULL,
  fire_at bigint NOT NULL,
  PRIMARY KEY (tenant, run, command)
);
CREATE INDEX timers_by_time ON semel.timers (fire_at, tenant, run, command);

-- Signals that had a key: they are received once.
CREATE TABLE semel.signals (
  tenant text COLLATE "C" NOT NULL,
  run    uuid NOT NULL,
  name   text COLLATE "C" NOT NULL,
  key    text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, run, name, key)
);

-- A workflow that another has begun goes with its root.
DROP INDEX semel.executions_closed_runs;
CREATE INDEX executions_closed_runs ON semel.executions (tenant, queue, closed_at)
  WHERE closed_at IS NOT NULL AND run IS NULL AND kind = 1;

-- ==== For people who query by hand.

CREATE OR REPLACE VIEW semel.tasks AS
SELECT e.tenant, e.id, (ARRAY['pending', 'running', 'suspended', 'completed', 'failed', 'cancelled', 'timed_out'])[e.state + 1] AS state,
       e.queue, e.handler, e.namespace, e.name, e.version, e.key, e.priority, e.attempt,
       semel.time_of(e.created_at) AS created_at, semel.time_of(e.run_at) AS run_at,
       semel.time_of(e.started_at) AS started_at, semel.time_of(e.closed_at) AS closed_at,
       semel.time_of(e.deadline) AS deadline, e.created_by, e.previous, e.hash, e.concurrency_key,
       semel.as_jsonb(e.labels) AS labels,
       -- A step of a run has none of its own.
       CASE WHEN e.run IS NULL OR strpos(e.task_key, '#') > 0 THEN semel.as_jsonb(e.context) END AS context,
       semel.as_jsonb(e.result) AS result, semel.as_jsonb(e.error) AS error,
       (ARRAY['task', 'workflow', 'promise'])[e.kind + 1] AS kind, e.run, e.task_key, semel.as_jsonb(e.item) AS item
FROM semel.executions e
UNION ALL
SELECT c.tenant, c.id, (ARRAY['pending', 'running', 'suspended', 'completed', 'failed', 'cancelled', 'timed_out'])[c.state + 1] AS state,
       c.queue, c.handler, c.namespace, c.name, c.version, c.key, c.priority, c.attempt,
       semel.time_of(c.created_at), semel.time_of(c.run_at), semel.time_of(c.started_at), semel.time_of(c.closed_at),
       semel.time_of(c.deadline), c.created_by, c.previous, c.hash, c.concurrency_key,
       semel.as_jsonb(c.labels), semel.as_jsonb(c.context), semel.as_jsonb(c.result), semel.as_jsonb(c.error),
       (ARRAY['task', 'workflow', 'promise'])[c.kind + 1], c.run, c.task_key, semel.as_jsonb(c.item)
FROM semel.closed c WHERE NOT semel.is_leaving(c.keep_days, c.closed_day);

CREATE OR REPLACE VIEW semel.run_history AS
SELECT h.tenant, h.run, h.sequence, semel.time_of(h.at) AS at,
       (ARRAY['run_started', 'task_scheduled', 'task_completed', 'task_failed', 'task_cancelled', 'task_timed_out', 'fan_out_started',
              'step_joined', 'step_skipped', 'step_blocked', 'step_dropped', 'step_unfit', 'step_resolved', 'step_retried',
              'cancel_requested', 'deadline_passed', 'run_completed', 'run_failed', 'run_cancelled', 'run_timed_out',
              'task_attached', 'timer_started', 'timer_fired', 'timer_cancelled', 'child_started', 'promise_created',
              'signal_received', 'marker', 'task_cancel_requested', 'continued', 'key_conflict'])[h.kind + 1] AS kind,
       h.task_key, semel.as_jsonb(h.detail) AS detail
FROM semel.history h;
