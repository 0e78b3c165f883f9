-- Runs of templates with steps (docs/adr/0010). A run is an execution of kind 1; its tasks are executions too.
ALTER TABLE executions ADD COLUMN run BLOB;       -- of a task of a run: its run; absent = standalone
ALTER TABLE executions ADD COLUMN task_key TEXT;  -- what names it there
ALTER TABLE executions ADD COLUMN item TEXT;      -- of a fan-out: canonical JSON
ALTER TABLE executions ADD COLUMN awaited INTEGER NOT NULL DEFAULT 0;  -- tasks of runs are attached to it

-- In the order of insertion.
CREATE INDEX executions_of_run ON executions (tenant_id, run) WHERE run IS NOT NULL;

-- A run whose deadline has passed is being cancelled, and not late again.
DROP INDEX executions_deadline;
CREATE INDEX executions_deadline ON executions (deadline)
  WHERE deadline IS NOT NULL AND state IN (0, 2) AND cancel_requested = 0;

-- What retention looks at. Tasks of runs go with their run; runs are kept for longer than tasks.
DROP INDEX executions_closed;
CREATE INDEX executions_closed ON executions (tenant_id, queue, closed_at)
  WHERE closed_at IS NOT NULL AND run IS NULL AND kind <> 1;
CREATE INDEX executions_closed_runs ON executions (tenant_id, queue, closed_at)
  WHERE closed_at IS NOT NULL AND kind = 1;

-- The steps of runs, once for all that have the same.
CREATE TABLE plans (
  tenant_id INTEGER NOT NULL,
  hash      BLOB    NOT NULL,
  document  TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  tenant_id      INTEGER NOT NULL,
  id             BLOB    NOT NULL,
  plan           BLOB    NOT NULL,
  facts          TEXT    NOT NULL,  -- a letter a step, see src/domain/workflow/facts.hpp
  history_length INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_by_plan ON runs (tenant_id, plan);

-- What steps came to that no task stands for: joined, resolved, unfit.
CREATE TABLE outcomes (
  tenant_id INTEGER NOT NULL,
  run       BLOB    NOT NULL,
  step      TEXT    NOT NULL,
  result    TEXT,
  error     TEXT,
  PRIMARY KEY (tenant_id, run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE history (
  tenant_id INTEGER NOT NULL,
  run       BLOB    NOT NULL,
  sequence  INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  kind      INTEGER NOT NULL,
  task_key  TEXT,  -- absent: of the run
  detail    TEXT,  -- JSON
  PRIMARY KEY (tenant_id, run, sequence)
) STRICT, WITHOUT ROWID;

-- Which task of a run waits for whom: that one holds its key.
CREATE TABLE attachments (
  tenant_id INTEGER NOT NULL,
  id        BLOB    NOT NULL,
  holder    BLOB    NOT NULL,
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX attachments_by_holder ON attachments (tenant_id, holder, id);
