-- The first schema. Times are milliseconds since 1970 (UTC); ids are 16-byte and hashes 32-byte blobs; numbers of
-- kinds, states and the like are those of the enums in src/domain.

-- Small facts of the store itself: last_time, last_seq, identity_watermark.
CREATE TABLE facts (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tenants (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- Everything that has an identity, a state and perhaps a result. `seq` is the order of insertion: rows and all their
-- index entries but the identity's go in at the end of their trees, which is what makes a submit cheap.
CREATE TABLE executions (
  seq              INTEGER PRIMARY KEY,
  tenant_id        INTEGER NOT NULL,
  id               BLOB    NOT NULL,
  kind             INTEGER NOT NULL,
  state            INTEGER NOT NULL,
  phase            INTEGER NOT NULL,  -- 0 neither, 1 ready to be claimed, 2 waiting for run_at
  queue            TEXT    NOT NULL,
  handler          TEXT    NOT NULL,
  priority         INTEGER NOT NULL,
  order_at         INTEGER NOT NULL,  -- run_at less the head start
  run_at           INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  created_by       TEXT    NOT NULL,
  namespace        TEXT,              -- of the named task, with the three below; absent for ad-hoc tasks
  name             TEXT,
  version          TEXT,
  revision         INTEGER,
  key              TEXT,
  identity_mode    INTEGER NOT NULL,
  strategy         INTEGER NOT NULL,
  scope            INTEGER NOT NULL,
  bucket           INTEGER,
  hash             BLOB,              -- the identity, where there is one
  superseded       INTEGER NOT NULL DEFAULT 0,  -- another execution has taken the identity over
  fingerprint      BLOB,
  window_kind      INTEGER NOT NULL,
  window_ms        INTEGER NOT NULL,
  client_made_id   INTEGER NOT NULL,
  previous         BLOB,
  labels           TEXT,              -- JSON object, absent when empty
  traceparent      TEXT,
  context          TEXT    NOT NULL,  -- the caller's text
  attempt          INTEGER NOT NULL DEFAULT 0,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  started_at       INTEGER,
  closed_at        INTEGER,
  released_at      INTEGER,
  result           TEXT,              -- JSON text; absent = nothing was returned
  error            TEXT
) STRICT;

CREATE UNIQUE INDEX executions_by_id ON executions (tenant_id, id);

-- The order in which a queue is worked off; a claim merges the handlers it was asked for.
CREATE INDEX executions_ready ON executions (tenant_id, queue, handler, priority DESC, order_at, id) WHERE phase = 1;
CREATE INDEX executions_waiting ON executions (run_at) WHERE phase = 2;

-- Which execution holds an identity. Identities claimed lately are only in memory and in executions.hash: a merge
-- brings them here sorted by hash (docs/adr/0001).
CREATE TABLE identities (
  tenant_id INTEGER NOT NULL,
  hash      BLOB    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, hash)
) STRICT, WITHOUT ROWID;

-- What stays of an execution that retention removed while its identity is held or its client-made id promised.
CREATE TABLE tombstones (
  tenant_id      INTEGER NOT NULL,
  id             BLOB    NOT NULL,
  hash           BLOB,              -- absent once the identity was taken over, or when there never was one
  kind           INTEGER NOT NULL,
  named_task     BLOB,
  handler        TEXT    NOT NULL,
  state          INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  closed_at      INTEGER NOT NULL,
  window_kind    INTEGER NOT NULL,
  window_ms      INTEGER NOT NULL,
  fingerprint    BLOB,
  created_by     TEXT    NOT NULL,
  released_at    INTEGER,
  client_made_id INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX tombstones_by_hash ON tombstones (tenant_id, hash) WHERE hash IS NOT NULL;

CREATE TABLE attempts (
  id            BLOB    PRIMARY KEY,
  tenant_id     INTEGER NOT NULL,
  seq           INTEGER NOT NULL,  -- of the execution
  number        INTEGER NOT NULL,
  worker        TEXT    NOT NULL,
  started_at    INTEGER NOT NULL,
  lease_until   INTEGER NOT NULL,
  ended_at      INTEGER,
  outcome       INTEGER NOT NULL,
  error         TEXT,
  stale_results INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_by_execution ON attempts (seq, number);
CREATE INDEX attempts_by_lease ON attempts (lease_until) WHERE outcome = 0;

-- Duplicates that a holder has prevented, flushed from memory now and then: "at least".
CREATE TABLE duplicates (
  tenant_id INTEGER NOT NULL,
  id        BLOB    NOT NULL,
  count     INTEGER NOT NULL,
  last      TEXT    NOT NULL,  -- JSON array of the last ones, newest last
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;

-- All revisions are kept: executions refer to them.
CREATE TABLE templates (
  tenant_id  INTEGER NOT NULL,
  namespace  TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  version    TEXT    NOT NULL,
  revision   INTEGER NOT NULL,
  document   TEXT    NOT NULL,  -- canonical JSON
  created_at INTEGER NOT NULL,
  removed_at INTEGER,
  PRIMARY KEY (tenant_id, namespace, name, version, revision)
) STRICT, WITHOUT ROWID;

-- Acts of administrators.
CREATE TABLE audit (
  seq       INTEGER PRIMARY KEY,
  tenant_id INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  actor     TEXT    NOT NULL,
  action    TEXT    NOT NULL,
  subject   TEXT    NOT NULL
) STRICT;
