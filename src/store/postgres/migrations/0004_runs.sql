-- Runs of templates with steps (docs/adr/0010). A run is an execution of kind 1; its tasks are executions that name it.
--
-- Lock order everywhere: identities by (tenant, hash), then queue_limits by (tenant, queue), then runs by (tenant, id), then
-- executions by (tenant, id), then plans, then usages. Whoever tells a run of something holds its row before it reads what
-- it decides by. A step that asks for its key, or whose holder ends, may lock out of order; who deadlocks tries again.

ALTER TABLE semel.executions
  ADD COLUMN run      uuid,              -- of a task of a run: its run
  ADD COLUMN task_key text COLLATE "C",  -- and what it is there: "charge", "mail[17]"
  ADD COLUMN item     text,              -- and its item of a fan-out, JSON
  ADD COLUMN awaited  boolean NOT NULL DEFAULT false;  -- a task is attached to it: the end of all others asks nothing
-- The same columns, in the same order.
ALTER TABLE semel.closed
  ADD COLUMN run      uuid,
  ADD COLUMN task_key text COLLATE "C",
  ADD COLUMN item     text,
  ADD COLUMN awaited  boolean NOT NULL DEFAULT false;
ALTER TABLE semel.departed
  ADD COLUMN run      uuid,
  ADD COLUMN task_key text COLLATE "C",
  ADD COLUMN item     text,
  ADD COLUMN awaited  boolean NOT NULL DEFAULT false;

-- The tasks of a run.
CREATE INDEX executions_by_run ON semel.executions (tenant, run, seq) WHERE run IS NOT NULL;

-- What retention looks at: runs go with all that they have, so their tasks are in none of these, and neither is put away.
DROP INDEX semel.executions_closed;
DROP INDEX semel.executions_closed_promised;
CREATE INDEX executions_closed ON semel.executions (tenant, queue, closed_at)
  WHERE closed_at IS NOT NULL AND kind <> 1 AND run IS NULL AND NOT client_made_id;
CREATE INDEX executions_closed_promised ON semel.executions (tenant, queue, closed_at)
  WHERE closed_at IS NOT NULL AND kind <> 1 AND run IS NULL AND client_made_id;
CREATE INDEX executions_closed_runs ON semel.executions (tenant, queue, closed_at) WHERE closed_at IS NOT NULL AND kind = 1;

-- A run whose deadline has passed is being cancelled, and is not late again.
DROP INDEX semel.executions_deadline;
CREATE INDEX executions_deadline ON semel.executions (deadline)
  WHERE deadline IS NOT NULL AND state IN (0, 2) AND NOT cancel_requested;

-- The steps of runs with all questions answered, once for all runs that have the same.
CREATE TABLE semel.plans (
  tenant   text COLLATE "C" NOT NULL,
  hash     bytea NOT NULL,  -- SHA-256 of the document
  document text  NOT NULL,
  PRIMARY KEY (tenant, hash)
);

-- What is known of a run. Whoever changes a run, or one of its tasks so that the run has to know, holds its row here.
CREATE TABLE semel.runs (
  tenant         text COLLATE "C" NOT NULL,
  id             uuid   NOT NULL,
  plan           bytea  NOT NULL,
  facts          text   NOT NULL,  -- domain::encode_facts()
  history_length bigint NOT NULL,
  PRIMARY KEY (tenant, id)
) WITH (fillfactor = 70);
-- Whether a plan is still used.
CREATE INDEX runs_by_plan ON semel.runs (tenant, plan);

-- What steps came to that no task stands for: joined, resolved, unfit.
CREATE TABLE semel.outcomes (
  tenant text COLLATE "C" NOT NULL,
  run    uuid NOT NULL,
  step   text COLLATE "C" NOT NULL,
  result text,
  error  text,
  PRIMARY KEY (tenant, run, step)
);

-- What happened in a run, for people.
CREATE TABLE semel.history (
  tenant   text COLLATE "C" NOT NULL,
  run      uuid     NOT NULL,
  sequence bigint   NOT NULL,  -- from 1
  at       bigint   NOT NULL,
  kind     smallint NOT NULL,
  task_key text,  -- absent: of the run
  detail   text,  -- JSON object
  PRIMARY KEY (tenant, run, sequence)
);

-- The task that waits, and the holder of its key that it waits for.
CREATE TABLE semel.attachments (
  tenant text COLLATE "C" NOT NULL,
  id     uuid NOT NULL,
  holder uuid NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX attachments_by_holder ON semel.attachments (tenant, holder);

-- ==== For people who query by hand.

CREATE OR REPLACE VIEW semel.tasks AS
SELECT e.tenant, e.id, (ARRAY['pending', 'running', 'suspended', 'completed', 'failed', 'cancelled', 'timed_out'])[e.state + 1] AS state,
       e.queue, e.handler, e.namespace, e.name, e.version, e.key, e.priority, e.attempt,
       semel.time_of(e.created_at) AS created_at, semel.time_of(e.run_at) AS run_at,
       semel.time_of(e.started_at) AS started_at, semel.time_of(e.closed_at) AS closed_at,
       semel.time_of(e.deadline) AS deadline, e.created_by, e.previous, e.hash, e.concurrency_key,
       semel.as_jsonb(e.labels) AS labels,
       CASE WHEN e.run IS NULL THEN semel.as_jsonb(e.context) END AS context,  -- a task of a run has none of its own
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

CREATE VIEW semel.run_history AS
SELECT h.tenant, h.run, h.sequence, semel.time_of(h.at) AS at,
       (ARRAY['run_started', 'task_scheduled', 'task_completed', 'task_failed', 'task_cancelled', 'task_timed_out', 'fan_out_started',
              'step_joined', 'step_skipped', 'step_blocked', 'step_dropped', 'step_unfit', 'step_resolved', 'step_retried',
              'cancel_requested', 'deadline_passed', 'run_completed', 'run_failed', 'run_cancelled', 'run_timed_out',
              'task_attached'])[h.kind + 1] AS kind,
       h.task_key, semel.as_jsonb(h.detail) AS detail
FROM semel.history h;
