-- When tasks are made by themselves, and how far that has come.
CREATE TABLE schedules (
  tenant_id    INTEGER NOT NULL,
  name         TEXT    NOT NULL,
  id           BLOB    NOT NULL,  -- part of the identity of its firings
  version      INTEGER NOT NULL,  -- counts every change; an advance counts only for the version that it has seen
  document     TEXT    NOT NULL,
  paused       INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  changed_by   TEXT    NOT NULL,
  handled      INTEGER NOT NULL,  -- everything up to here is settled
  next_at      INTEGER,           -- absent: it has ended
  last_nominal INTEGER,           -- the last firing, if there was one
  last_at      INTEGER,
  last_outcome INTEGER,
  last_task    BLOB,
  last_error   TEXT,
  task         BLOB,              -- the task that was made last
  submitted    INTEGER NOT NULL,
  skipped      INTEGER NOT NULL,
  refused      INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) STRICT;

CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0 AND next_at IS NOT NULL;
