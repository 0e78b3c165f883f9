-- Attempts that are pushed to the target of their queue (docs/adr/0021): one row beside each, made with it. It is open as
-- long as its attempt runs, and goes with it for good; it stays here while its execution is put away.
--
-- Lock order: after executions. Whoever takes what is due locks only rows of this table, and waits for nobody.
CREATE TABLE semel.dispatches (
  tenant       text COLLATE "C" NOT NULL,
  attempt_id   uuid     NOT NULL,
  execution_id uuid     NOT NULL,
  number       bigint   NOT NULL,  -- of the attempt
  repair       bigint   NOT NULL,
  dispatch_id  text     NOT NULL,
  external_id  text COLLATE "C" NOT NULL,
  state        smallint NOT NULL,  -- 0 ambiguous, 1 unsent, 2 sent
  sends        bigint   NOT NULL,
  created_at   bigint   NOT NULL,
  due_at       bigint   NOT NULL,
  accepted_at  bigint,
  next_send_at bigint,             -- when somebody has to look at it; absent: nobody has to
  answer       text     NOT NULL,
  PRIMARY KEY (tenant, attempt_id)
) WITH (fillfactor = 70);

CREATE INDEX dispatches_by_name ON semel.dispatches (tenant, external_id);
CREATE INDEX dispatches_of_execution ON semel.dispatches (tenant, execution_id);
CREATE INDEX dispatches_due ON semel.dispatches (next_send_at, attempt_id) WHERE next_send_at IS NOT NULL;

-- What the servers share and tell nobody; no tenant stands for all.
CREATE TABLE semel.secrets (
  tenant text COLLATE "C" NOT NULL,
  name   text COLLATE "C" NOT NULL,
  value  bytea NOT NULL,
  PRIMARY KEY (tenant, name)
);

ALTER TABLE semel.queues
  ADD COLUMN target text,  -- empty = none, whatever the configuration says
  ADD COLUMN target_timeout_ms bigint,
  ADD COLUMN target_window_ms bigint,
  ADD COLUMN heartbeat_timeout_ms bigint,
  ADD COLUMN max_in_flight bigint;
