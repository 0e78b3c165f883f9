-- How PostgreSQL claims identities and ready tasks (DESIGN §6). A draft, run against a real server by tests/postgres:
-- it shows that the store port fits a store with many writers that works in sets. It is not the store yet: columns
-- that no claim looks at are left out.
--
-- Times are milliseconds since 1970 (bigint), states and window kinds the numbers of domain/state.hpp and
-- domain/window.hpp. Every primary key begins with the tenant, so that a cluster can shard by it. Core features only.
--
-- Lock order everywhere: identities by (tenant, hash), then executions by id. Who keeps it cannot deadlock. Every way
-- out of a closed state (a takeover, a manual retry) locks the identity row first.
--
-- All statements run in READ COMMITTED, where every statement sees what was committed before it began.

-- The clock of all decisions: the database's, or the one that a test has set.
CREATE FUNCTION semel_now() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('semel.now_ms', true), '')::bigint,
                  floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)
$$;

-- Who holds an identity. Written when claimed, taken over or released, not on completion: the state of the holder is
-- read from its execution, and only on a conflict.
CREATE TABLE identities (
  tenant_id      text   NOT NULL,
  identity_hash  bytea  NOT NULL CHECK (octet_length(identity_hash) = 32),
  execution_id   uuid   NOT NULL,
  released_at    bigint,
  -- What retention leaves of a removed execution; NULL while it exists.
  tombstone_state       smallint,
  tombstone_created_at  bigint,
  tombstone_closed_at   bigint,
  tombstone_window_kind smallint,
  tombstone_window_ms   bigint,
  PRIMARY KEY (tenant_id, identity_hash)
);

CREATE TABLE executions (
  tenant_id     text     NOT NULL,
  id            uuid     NOT NULL,
  state         smallint NOT NULL DEFAULT 0,
  waiting       boolean  NOT NULL,             -- the phase of a pending task: waits for run_at
  queue         text     NOT NULL,
  handler       text     NOT NULL,
  priority      smallint NOT NULL,
  order_at      bigint   NOT NULL,             -- run_at minus the head start
  run_at        bigint   NOT NULL,
  created_at    bigint   NOT NULL,
  started_at    bigint,
  closed_at     bigint,
  context       text     NOT NULL,             -- the caller's text; jsonb would refuse "\u0000" and huge exponents
  window_kind   smallint NOT NULL,
  window_ms     bigint   NOT NULL,
  previous_execution_id uuid,
  attempt       integer  NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, id)
);

-- One range of this index is the ready tasks of one handler on one queue, best first. Waiting tasks, and tasks of
-- other handlers, are not in it, however many there are.
CREATE INDEX executions_ready ON executions (tenant_id, queue, handler, priority DESC, order_at, id)
  WHERE state = 0 AND NOT waiting;

CREATE TABLE attempts (
  tenant_id    text     NOT NULL,
  id           uuid     NOT NULL,
  execution_id uuid     NOT NULL,
  number       integer  NOT NULL,
  worker       text     NOT NULL,
  started_at   bigint   NOT NULL,
  lease_until  bigint   NOT NULL,
  outcome      smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, id)
);

-- ==== Statements: prepared once in every session.

-- A generic plan does not know how long the arrays are and turns the claims into sequential scans.
SET plan_cache_mode = force_custom_plan;

-- (1) Submits a batch. One transaction by itself: there is never an identity without its execution, or the reverse.
--
-- Identities go in sorted by (tenant, hash, arrival). Sorted by hash: two sessions whose batches overlap wait for each
-- other in one direction only; unsorted batches deadlock. Then by arrival: of two equal hashes in one batch the first
-- wins. ON CONFLICT DO NOTHING waits for a concurrent claim of the same hash to commit (then this one loses) or to
-- roll back (then this one wins), writes nothing for losers, and skips the second of two equal hashes; DO UPDATE would
-- write for every duplicate and abort on two equal hashes.
--
-- Winners are joined on the execution id, not on the hash, which two rows of the batch may share. A client-made id that
-- exists already (probed before, so only in a race) is a primary-key violation: the batch is run again one by one.
--
-- No identity (hash NULL) claims nothing and always creates. Returns one row for each submission, in arrival order.
PREPARE semel_submit (text[], bytea[], uuid[], text[], text[], smallint[], bigint[], bigint[], text[], smallint[], bigint[]) AS
WITH clock AS MATERIALIZED (
  SELECT semel_now() AS now
), batch AS MATERIALIZED (
  SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) WITH ORDINALITY
    AS b (tenant_id, identity_hash, id, queue, handler, priority, delay_ms, head_start_ms, context, window_kind,
          window_ms, arrival)
), won AS (
  INSERT INTO identities (tenant_id, identity_hash, execution_id)
  SELECT tenant_id, identity_hash, id FROM batch WHERE identity_hash IS NOT NULL
  ORDER BY tenant_id, identity_hash, arrival
  ON CONFLICT (tenant_id, identity_hash) DO NOTHING
  RETURNING tenant_id, execution_id
), created AS (
  INSERT INTO executions (tenant_id, id, waiting, queue, handler, priority, order_at, run_at, created_at, context,
                          window_kind, window_ms)
  SELECT b.tenant_id, b.id, b.delay_ms > 0, b.queue, b.handler, b.priority, clock.now + b.delay_ms - b.head_start_ms,
         clock.now + b.delay_ms, clock.now, b.context, b.window_kind, b.window_ms
  FROM batch b CROSS JOIN clock
  WHERE b.identity_hash IS NULL
     OR EXISTS (SELECT FROM won w WHERE w.tenant_id = b.tenant_id AND w.execution_id = b.id)
  RETURNING tenant_id, id, run_at, waiting
)
SELECT b.arrival, c.id IS NOT NULL AS created, clock.now, c.run_at, NOT c.waiting AS ready
FROM batch b CROSS JOIN clock LEFT JOIN created c ON c.tenant_id = b.tenant_id AND c.id = b.id
ORDER BY b.arrival;

-- (2) The losers of (1), in a second transaction of three statements.
--
-- (2a) Locks their identity rows, in the order of (1). The sort is below the locking, so rows are locked as sorted.
-- It returns no holder: a join under FOR UPDATE reads the locked row anew after a wait, but what it is joined with as
-- it was when the statement began.
PREPARE semel_lock_identities (text[], bytea[]) AS
SELECT i.tenant_id, i.identity_hash
FROM identities i
WHERE (i.tenant_id, i.identity_hash) IN (SELECT * FROM unnest($1, $2))
ORDER BY i.tenant_id, i.identity_hash
FOR UPDATE OF i;

-- (2b) Reads the holders in a new statement, which sees all that was committed while (2a) waited. One row for each
-- that was asked for, in arrival order; execution_id NULL = the row has vanished: that submission goes back to (1).
-- The domain decides on each holder (decide), in arrival order.
PREPARE semel_read_holders (text[], bytea[]) AS
SELECT r.arrival, i.execution_id, coalesce(e.state, i.tombstone_state) AS state,
       coalesce(e.created_at, i.tombstone_created_at) AS created_at,
       coalesce(e.closed_at, i.tombstone_closed_at) AS closed_at,
       coalesce(e.window_kind, i.tombstone_window_kind) AS window_kind,
       coalesce(e.window_ms, i.tombstone_window_ms) AS window_ms, i.released_at,
       i.tombstone_state IS NOT NULL AS tombstone, semel_now() AS now
FROM unnest($1, $2) WITH ORDINALITY AS r (tenant_id, identity_hash, arrival)
LEFT JOIN identities i ON i.tenant_id = r.tenant_id AND i.identity_hash = r.identity_hash
LEFT JOIN executions e ON e.tenant_id = i.tenant_id AND e.id = i.execution_id AND i.tombstone_state IS NULL
ORDER BY r.arrival;

-- (2c) Takes over, where the holder is still the expected one ($12). The lock of (2a) makes that certain; the guard
-- makes it certain also for a caller that forgot the lock. Of two submissions that expect the same holder the first
-- one moves the row, and the other is answered with it. Returns one row for each, in arrival order.
PREPARE semel_take_over (text[], bytea[], uuid[], text[], text[], smallint[], bigint[], bigint[], text[], smallint[], bigint[], uuid[]) AS
WITH clock AS MATERIALIZED (
  SELECT semel_now() AS now
), batch AS MATERIALIZED (
  SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) WITH ORDINALITY
    AS b (tenant_id, identity_hash, id, queue, handler, priority, delay_ms, head_start_ms, context, window_kind,
          window_ms, expected_id, arrival)
), first AS (
  SELECT DISTINCT ON (tenant_id, identity_hash) * FROM batch ORDER BY tenant_id, identity_hash, arrival
), moved AS (
  UPDATE identities i
  SET execution_id = f.id, released_at = NULL, tombstone_state = NULL, tombstone_created_at = NULL,
      tombstone_closed_at = NULL, tombstone_window_kind = NULL, tombstone_window_ms = NULL
  FROM first f
  WHERE i.tenant_id = f.tenant_id AND i.identity_hash = f.identity_hash AND i.execution_id = f.expected_id
  RETURNING i.tenant_id, i.execution_id
), created AS (
  INSERT INTO executions (tenant_id, id, waiting, queue, handler, priority, order_at, run_at, created_at, context,
                          window_kind, window_ms, previous_execution_id)
  SELECT f.tenant_id, f.id, f.delay_ms > 0, f.queue, f.handler, f.priority, clock.now + f.delay_ms - f.head_start_ms,
         clock.now + f.delay_ms, clock.now, f.context, f.window_kind, f.window_ms, f.expected_id
  FROM first f CROSS JOIN clock
  WHERE EXISTS (SELECT FROM moved m WHERE m.tenant_id = f.tenant_id AND m.execution_id = f.id)
  RETURNING tenant_id, id, run_at, waiting
)
SELECT b.arrival, c.id IS NOT NULL AS created, clock.now, c.run_at, NOT c.waiting AS ready
FROM batch b CROSS JOIN clock LEFT JOIN created c ON c.tenant_id = b.tenant_id AND c.id = b.id
ORDER BY b.arrival;

-- Leases ready tasks: tenant, queues, handlers, attempt ids (their number is the limit), worker, lease in ms.
--
-- Each lane (a queue and a handler) gives its best candidates through the index, without a lock; the merged best are
-- then locked one after the other until there are enough (the limit is above the locking, so no more are locked), and
-- those that another session is just claiming are skipped. Lanes give more candidates than asked for, so that a claim
-- finds tasks beyond those of its neighbours; when candidates were there and none was free, `skipped_all` is true and
-- the caller asks again at once, or it would sleep while tasks are ready.
--
-- The conditions on state are repeated where the lock is: a row that was claimed between the two is looked at again
-- under its lock and dropped.
PREPARE semel_claim_ready (text, text[], text[], uuid[], text, bigint) AS
WITH clock AS MATERIALIZED (
  SELECT semel_now() AS now
), candidates AS MATERIALIZED (
  SELECT lane.id
  FROM (SELECT DISTINCT unnest($2) AS queue) q CROSS JOIN (SELECT DISTINCT unnest($3) AS handler) h
  CROSS JOIN LATERAL (
    SELECT e.id FROM executions e
    WHERE e.tenant_id = $1 AND e.queue = q.queue AND e.handler = h.handler AND e.state = 0 AND NOT e.waiting
    ORDER BY e.priority DESC, e.order_at, e.id
    LIMIT 2 * cardinality($4) + 16
  ) lane
), locked AS MATERIALIZED (
  SELECT e.id, e.priority, e.order_at
  FROM executions e
  WHERE e.tenant_id = $1 AND e.id IN (SELECT id FROM candidates) AND e.state = 0 AND NOT e.waiting
  ORDER BY e.priority DESC, e.order_at, e.id
  LIMIT cardinality($4)
  FOR UPDATE OF e SKIP LOCKED
), picked AS MATERIALIZED (
  SELECT id, row_number() OVER (ORDER BY priority DESC, order_at, id) AS place FROM locked
), claimed AS (
  UPDATE executions e
  SET state = 1, attempt = e.attempt + 1, started_at = coalesce(e.started_at, clock.now)
  FROM picked p CROSS JOIN clock
  WHERE e.tenant_id = $1 AND e.id = p.id
  RETURNING p.place, e.id, e.attempt, e.handler, e.context
), leased AS (
  INSERT INTO attempts (tenant_id, id, execution_id, number, worker, started_at, lease_until)
  SELECT $1, ($4)[c.place], c.id, c.attempt, $5, clock.now, clock.now + $6 FROM claimed c CROSS JOIN clock
  RETURNING id, execution_id, lease_until
)
SELECT c.place, l.id AS attempt_id, c.id, c.handler, c.context, l.lease_until, false AS skipped_all
FROM claimed c JOIN leased l ON l.execution_id = c.id
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, true
WHERE EXISTS (SELECT FROM candidates) AND NOT EXISTS (SELECT FROM locked) AND cardinality($4) > 0
ORDER BY place;
