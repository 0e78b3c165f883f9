-- The first schema. Times are milliseconds since 1970 (UTC) and numbers of kinds, states and the like are those of the
-- enums in src/domain, as in the SQLite store. JSON is kept as the caller's text: jsonb would refuse "\u0000" and huge
-- exponents; the views at the end show it as jsonb to people. Every primary key begins with the tenant, so that a cluster
-- can shard by it. Names are compared byte by byte (COLLATE "C"), whatever the database's own order is.
--
-- Lock order everywhere: identities by (tenant, hash), then queue_limits by (tenant, queue), then executions by
-- (tenant, id), then usages. Every way out of a closed state locks the identity first.

-- The clock of all decisions: the database's, or the one that a test has set for its session.
CREATE FUNCTION semel.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(nullif(current_setting('semel.now_ms', true), '')::bigint,
                  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
$$;

-- Small facts of the store itself: last_time, so that time does not go backwards over a restart.
CREATE TABLE semel.facts (
  name  text   PRIMARY KEY,
  value bigint NOT NULL
);
INSERT INTO semel.facts VALUES ('last_time', 0);

-- Everything that has an identity, a state and perhaps a result.
CREATE TABLE semel.executions (
  tenant             text COLLATE "C" NOT NULL,
  id                 uuid     NOT NULL,
  seq                bigint   GENERATED ALWAYS AS IDENTITY,  -- the order of creation
  kind               smallint NOT NULL,
  state              smallint NOT NULL DEFAULT 0,
  phase              smallint NOT NULL,  -- 0 none of these, 1 ready to be claimed, 2 waiting for run_at, 3 running and counted,
                                         -- 4 waiting until another with its concurrency_key ends
  queue              text COLLATE "C" NOT NULL,
  handler            text COLLATE "C" NOT NULL,
  priority           smallint NOT NULL,
  order_at           bigint   NOT NULL,  -- run_at less the head start
  run_at             bigint   NOT NULL,
  created_at         bigint   NOT NULL,
  created_by         text     NOT NULL,
  namespace          text COLLATE "C",   -- of the named task, with the three below; absent for ad-hoc tasks
  name               text COLLATE "C",
  version            text,
  revision           integer,
  key                text,
  identity_mode      smallint NOT NULL,
  strategy           smallint NOT NULL,
  scope              smallint NOT NULL,
  bucket             bigint,
  hash               bytea,              -- the identity, where there is one; who holds it, `identities` says
  fingerprint        bytea,
  window_kind        smallint NOT NULL,
  window_ms          bigint   NOT NULL,
  client_made_id     boolean  NOT NULL,
  previous           uuid,
  labels             text,               -- JSON object, absent when empty
  traceparent        text,
  retry              text,               -- "max_attempts backoff base_ms cap_ms jitter_percent"; absent = the usual
  timeout_ms         bigint,             -- of one attempt
  deadline           bigint,             -- of the whole
  concurrency_key    text COLLATE "C",
  attempt            integer  NOT NULL DEFAULT 0,
  uncounted_attempts integer  NOT NULL DEFAULT 0,
  cancel_requested   boolean  NOT NULL DEFAULT false,
  started_at         bigint,
  closed_at          bigint,
  released_at        bigint,
  progress           integer,            -- in millionths, of the newest attempt
  progress_message   text,
  context            text     NOT NULL,  -- the caller's text
  result             text,               -- JSON text; absent = nothing was returned
  error              text,
  PRIMARY KEY (tenant, id)
);

-- One range of this index is the ready tasks of one handler on one queue, best first. Waiting tasks, and tasks of other
-- handlers, are not in it, however many there are.
CREATE INDEX executions_ready ON semel.executions (tenant, queue, handler, priority DESC, order_at, id) WHERE phase = 1;
CREATE INDEX executions_waiting ON semel.executions (run_at) WHERE phase = 2;
CREATE INDEX executions_counted ON semel.executions (tenant, queue) WHERE phase = 3;
CREATE INDEX executions_keyed ON semel.executions (tenant, queue, concurrency_key)
  WHERE concurrency_key IS NOT NULL AND phase IN (1, 3);
CREATE INDEX executions_blocked ON semel.executions (tenant, queue, concurrency_key, priority DESC, order_at, id)
  WHERE phase = 4;
-- Deadlines of executions that nobody works on; those of running ones end their leases.
CREATE INDEX executions_deadline ON semel.executions (deadline) WHERE deadline IS NOT NULL AND state IN (0, 2);
-- What retention looks at.
CREATE INDEX executions_closed ON semel.executions (tenant, queue, closed_at) WHERE closed_at IS NOT NULL;
-- Lists, newest first.
CREATE INDEX executions_by_seq ON semel.executions (tenant, seq);

-- Which execution, or which tombstone, holds an identity. Written when claimed, taken over or given up, not on
-- completion: the state of the holder is read from its row, and only on a conflict.
CREATE TABLE semel.identities (
  tenant       text COLLATE "C" NOT NULL,
  hash         bytea NOT NULL CHECK (octet_length(hash) = 32),
  execution_id uuid  NOT NULL,
  PRIMARY KEY (tenant, hash)
);

-- What stays of an execution that retention removed while its identity is held or its client-made id promised.
CREATE TABLE semel.tombstones (
  tenant         text COLLATE "C" NOT NULL,
  id             uuid     NOT NULL,
  hash           bytea,             -- absent once the identity was taken over, or when there never was one
  kind           smallint NOT NULL,
  named_task     uuid,
  handler        text     NOT NULL,
  state          smallint NOT NULL,
  created_at     bigint   NOT NULL,
  closed_at      bigint   NOT NULL,
  window_kind    smallint NOT NULL,
  window_ms      bigint   NOT NULL,
  fingerprint    bytea,
  created_by     text     NOT NULL,
  released_at    bigint,
  client_made_id boolean  NOT NULL,
  expires_at     bigint,            -- from then on it holds nothing; absent = never
  PRIMARY KEY (tenant, id)
);
CREATE INDEX tombstones_by_expiry ON semel.tombstones (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE semel.attempts (
  tenant        text COLLATE "C" NOT NULL,
  id            uuid     NOT NULL,
  execution_id  uuid     NOT NULL,
  number        integer  NOT NULL,
  worker        text     NOT NULL,
  started_at    bigint   NOT NULL,
  lease_until   bigint   NOT NULL,
  ended_at      bigint,
  outcome       smallint NOT NULL DEFAULT 0,
  error         text,
  stale_results integer  NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX attempts_by_execution ON semel.attempts (tenant, execution_id, number);
CREATE INDEX attempts_by_lease ON semel.attempts (lease_until) WHERE outcome = 0;

-- Duplicates that a holder has prevented, flushed from memory now and then: "at least".
CREATE TABLE semel.duplicates (
  tenant text COLLATE "C" NOT NULL,
  id     uuid   NOT NULL,
  count  bigint NOT NULL,
  last   text   NOT NULL,  -- one a line, newest last
  PRIMARY KEY (tenant, id)
);

-- The last so many lines of two texts.
CREATE FUNCTION semel.last_lines(one text, other text, max integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_to_string(lines[greatest(1, cardinality(lines) - max + 1):], E'\n'), '')
  FROM (SELECT array_remove(string_to_array(one, E'\n') || string_to_array(other, E'\n'), '') AS lines) AS lists
$$;

-- All revisions are kept: executions refer to them.
CREATE TABLE semel.templates (
  tenant     text COLLATE "C" NOT NULL,
  namespace  text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  version    text COLLATE "C" NOT NULL,
  revision   integer NOT NULL,
  document   text    NOT NULL,  -- canonical JSON
  created_at bigint  NOT NULL,
  removed_at bigint,
  PRIMARY KEY (tenant, namespace, name, version, revision)
);

-- What was said about queues; the tenant '' is the configuration, which speaks for all.
CREATE TABLE semel.queues (
  tenant              text COLLATE "C" NOT NULL,
  name                text COLLATE "C" NOT NULL,
  retention_ms        bigint,
  rate_count          bigint,    -- 0 = no limit, whatever the configuration says
  rate_ms             bigint,
  rate_burst          bigint,
  max_running         integer,   -- 0 = no limit
  max_running_per_key integer,
  paused              boolean,
  reuse               smallint,
  window_kind         smallint,
  window_ms           bigint,
  PRIMARY KEY (tenant, name)
);

-- One row for each queue whose tasks are counted: who gives out its tasks, or changes how many of a concurrency_key are
-- ready, holds it. Queues without limits and without keys have none.
CREATE TABLE semel.queue_limits (
  tenant       text COLLATE "C" NOT NULL,
  queue        text COLLATE "C" NOT NULL,
  token_level  bigint,  -- of the rate limit, as domain::TokenBucket; absent until a first token was taken
  token_at     bigint,
  PRIMARY KEY (tenant, queue)
) WITH (fillfactor = 50);

-- What tenants have open, where that is limited: the sum over all stripes. Many stripes, so that commits do not wait for
-- each other.
CREATE TABLE semel.usages (
  tenant        text COLLATE "C" NOT NULL,
  stripe        integer NOT NULL,
  open_tasks    bigint  NOT NULL,
  payload_bytes bigint  NOT NULL,
  PRIMARY KEY (tenant, stripe)
) WITH (fillfactor = 50);

-- When tasks are made by themselves, and how far that has come.
CREATE TABLE semel.schedules (
  tenant       text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  id           uuid     NOT NULL,  -- part of the identity of its firings
  version      bigint   NOT NULL,  -- counts every change; an advance counts only for the version that it has seen
  document     text     NOT NULL,
  paused       boolean  NOT NULL,
  created_at   bigint   NOT NULL,
  changed_at   bigint   NOT NULL,
  changed_by   text     NOT NULL,
  handled      bigint   NOT NULL,  -- everything up to here is settled
  next_at      bigint,             -- absent: it has ended
  last_nominal bigint,             -- the last firing, if there was one
  last_at      bigint,
  last_outcome smallint,
  last_task    uuid,
  last_error   text,
  task         uuid,               -- the task that was made last
  submitted    bigint   NOT NULL,
  skipped      bigint   NOT NULL,
  refused      bigint   NOT NULL,
  PRIMARY KEY (tenant, name)
);
CREATE INDEX schedules_due ON semel.schedules (next_at) WHERE NOT paused AND next_at IS NOT NULL;

-- API keys. Of the secret only the SHA-256 is kept. A revoked key stays, so that a server that once required keys never
-- opens again.
CREATE TABLE semel.api_keys (
  tenant      text COLLATE "C" NOT NULL,
  id          text COLLATE "C" NOT NULL UNIQUE,
  name        text     NOT NULL,
  permissions smallint NOT NULL,
  secret_hash bytea    NOT NULL UNIQUE,
  created_at  bigint   NOT NULL,
  created_by  text     NOT NULL,
  expires_at  bigint,
  revoked_at  bigint,
  PRIMARY KEY (tenant, id)
);

-- Acts of administrators.
CREATE TABLE semel.audit (
  tenant  text COLLATE "C" NOT NULL,
  seq     bigint GENERATED ALWAYS AS IDENTITY,
  at      bigint NOT NULL,
  actor   text   NOT NULL,
  action  text   NOT NULL,
  subject text   NOT NULL,
  PRIMARY KEY (tenant, seq)
);

-- ==== For people who query by hand.

CREATE FUNCTION semel.time_of(ms bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT pg_catalog.to_timestamp(ms / 1000.0)
$$;

-- Not every JSON text fits into jsonb ("\u0000", 1e999999999): what does not is shown as a string.
CREATE FUNCTION semel.as_jsonb(json text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN json::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN pg_catalog.to_jsonb(json);
END
$$;

CREATE VIEW semel.tasks AS
SELECT e.tenant, e.id, (ARRAY['pending', 'running', 'suspended', 'completed', 'failed', 'cancelled', 'timed_out'])[e.state + 1] AS state,
       e.queue, e.handler, e.namespace, e.name, e.version, e.key, e.priority, e.attempt,
       semel.time_of(e.created_at) AS created_at, semel.time_of(e.run_at) AS run_at,
       semel.time_of(e.started_at) AS started_at, semel.time_of(e.closed_at) AS closed_at,
       semel.time_of(e.deadline) AS deadline, e.created_by, e.previous, e.hash, e.concurrency_key,
       semel.as_jsonb(e.labels) AS labels, semel.as_jsonb(e.context) AS context, semel.as_jsonb(e.result) AS result,
       semel.as_jsonb(e.error) AS error
FROM semel.executions e;

CREATE VIEW semel.task_attempts AS
SELECT a.tenant, a.execution_id, a.number, a.id, a.worker,
       (ARRAY['running', 'completed', 'failed', 'lease_ended', 'timed_out', 'cancelled', 'undelivered'])[a.outcome + 1] AS outcome,
       semel.time_of(a.started_at) AS started_at, semel.time_of(a.lease_until) AS lease_until,
       semel.time_of(a.ended_at) AS ended_at, semel.as_jsonb(a.error) AS error
FROM semel.attempts a;
