-- Workflows that are written as code (docs/adr/0018). Each is an execution of kind 1 without a row in `runs`; what it has
-- begun are executions too, whose task_key has a '#'. Promises are executions of kind 2.
CREATE TABLE workflows (
  tenant_id       INTEGER NOT NULL,
  id              BLOB    NOT NULL,
  phase           INTEGER NOT NULL,  -- these are src/domain/workflow/code/facts.hpp
  history_length  INTEGER NOT NULL,
  history_bytes   INTEGER NOT NULL,
  first_event     INTEGER NOT NULL,
  seen            INTEGER NOT NULL,
  last_command    INTEGER NOT NULL,
  first_command   INTEGER NOT NULL,
  open_children   INTEGER NOT NULL,
  abandon         INTEGER NOT NULL,  -- it goes on when its parent ends
  last_activation BLOB,              -- the attempt that was answered last
  status          TEXT,              -- JSON: what its code says of itself
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;

-- Those that have neither fired nor been cancelled.
CREATE TABLE timers (
  tenant_id INTEGER NOT NULL,
  run       BLOB    NOT NULL,
  command   INTEGER NOT NULL,
  fire_at   INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, run, command)
) STRICT, WITHOUT ROWID;

CREATE INDEX timers_by_time ON timers (fire_at);

-- Signals that had a key: they are received once.
CREATE TABLE signals (
  tenant_id INTEGER NOT NULL,
  run       BLOB    NOT NULL,
  name      TEXT    NOT NULL,
  key       TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, run, name, key)
) STRICT, WITHOUT ROWID;

-- A workflow that another has begun goes with its root.
DROP INDEX executions_closed_runs;
CREATE INDEX executions_closed_runs ON executions (tenant_id, queue, closed_at)
  WHERE closed_at IS NOT NULL AND run IS NULL AND kind = 1;
