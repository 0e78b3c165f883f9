-- Attempts that are pushed to the target of their queue (ADR 0021): one row beside each, made with it. It is open as
-- long as its attempt runs, and goes with it.
CREATE TABLE dispatches (
  tenant_id    INTEGER NOT NULL,
  attempt_id   BLOB    NOT NULL,
  execution_id BLOB    NOT NULL,
  number       INTEGER NOT NULL,  -- of the attempt
  repair       INTEGER NOT NULL,
  dispatch_id  TEXT    NOT NULL,
  external_id  TEXT    NOT NULL,
  state        INTEGER NOT NULL,  -- 0 ambiguous, 1 unsent, 2 sent
  sends        INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  due_at       INTEGER NOT NULL,
  accepted_at  INTEGER,
  next_send_at INTEGER,           -- when somebody has to look at it; absent: nobody has to
  answer       TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, attempt_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX dispatches_by_name ON dispatches (tenant_id, external_id);
CREATE INDEX dispatches_due ON dispatches (next_send_at, attempt_id) WHERE next_send_at IS NOT NULL;

-- What the servers of a store share and tell nobody; tenant 0 stands for all.
CREATE TABLE secrets (
  tenant_id INTEGER NOT NULL,
  name      TEXT    NOT NULL,
  value     BLOB    NOT NULL,
  PRIMARY KEY (tenant_id, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE queues ADD COLUMN target TEXT;  -- empty = none, whatever the configuration says
ALTER TABLE queues ADD COLUMN target_timeout_ms INTEGER;
ALTER TABLE queues ADD COLUMN target_window_ms INTEGER;
ALTER TABLE queues ADD COLUMN heartbeat_timeout_ms INTEGER;
ALTER TABLE queues ADD COLUMN max_in_flight INTEGER;
