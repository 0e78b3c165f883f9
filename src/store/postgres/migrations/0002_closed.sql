-- What has closed goes out of the way: executions that closed a while ago are moved, off the hot path, into tables that are
-- partitioned by how long they are kept and by the day of their closing, and removed by dropping those. `executions`
-- stays as small as what is open and what has just closed.
--
-- An execution is in one of the two tables, never in both: it is moved by one statement. One with a client-made id stays
-- among the open ones while its id is promised.

-- First what says where a row belongs, then the columns of `executions`, in their order: what is added there is added here.
CREATE TABLE semel.closed (
  keep_days  integer NOT NULL,  -- the retention of its queue when it was moved, in whole days, rounded up
  closed_day integer NOT NULL,  -- days since 1970 (UTC)
  LIKE semel.executions,
  PRIMARY KEY (tenant, id, keep_days, closed_day)
) PARTITION BY RANGE (keep_days, closed_day);
CREATE INDEX closed_by_seq ON semel.closed (tenant, seq);
CREATE INDEX closed_by_queue ON semel.closed (tenant, queue, closed_at);

CREATE TABLE semel.closed_attempts (
  keep_days  integer NOT NULL,
  closed_day integer NOT NULL,  -- of the execution
  LIKE semel.attempts,
  PRIMARY KEY (tenant, id, keep_days, closed_day)
) PARTITION BY RANGE (keep_days, closed_day);
CREATE INDEX closed_attempts_by_execution ON semel.closed_attempts (tenant, execution_id, number);

-- The partitions that there are: [first_day, end_day) of a class of retention, in tables called
-- closed_<keep_days>_<first_day> and closed_attempts_<keep_days>_<first_day>.
CREATE TABLE semel.closed_days (
  keep_days     integer NOT NULL,
  first_day     integer NOT NULL,
  end_day       integer NOT NULL,
  leaving_since bigint,  -- all of it has passed its retention: nobody is shown it any more, and it will be dropped
  PRIMARY KEY (keep_days, first_day)
);

-- The queues of which something was put away, and for how long it was to be kept then: their retention may change.
CREATE TABLE semel.closed_queues (
  tenant    text COLLATE "C" NOT NULL,
  queue     text COLLATE "C" NOT NULL,
  keep_days integer NOT NULL,
  PRIMARY KEY (tenant, queue, keep_days)
);

-- What retention looks at. In two, so that whoever looks for what may be moved does not pass by all the client-made ids
-- that may not.
DROP INDEX semel.executions_closed;
CREATE INDEX executions_closed ON semel.executions (tenant, queue, closed_at) WHERE closed_at IS NOT NULL AND NOT client_made_id;
CREATE INDEX executions_closed_promised ON semel.executions (tenant, queue, closed_at) WHERE closed_at IS NOT NULL AND client_made_id;

-- Partitions are made and dropped by these, as the owner of the schema: a server's own role need not be it. A new partition
-- is filled with its indexes first and attached then, which does not hold up who reads or writes.
CREATE FUNCTION semel.open_days(keep integer, first integer, "end" integer) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = semel, pg_temp AS $$
DECLARE
  parent text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('semel.closed', 0));
  IF EXISTS (SELECT FROM semel.closed_days d WHERE d.keep_days = keep AND d.first_day = first) THEN
    RETURN;
  END IF;
  FOREACH parent IN ARRAY ARRAY['closed', 'closed_attempts'] LOOP
    EXECUTE format('CREATE TABLE semel.%1$I (LIKE semel.%2$I INCLUDING ALL)', parent || '_' || keep || '_' || first, parent);
    EXECUTE format('ALTER TABLE semel.%2$I ATTACH PARTITION semel.%1$I FOR VALUES FROM (%3$s, %4$s) TO (%3$s, %5$s)',
                   parent || '_' || keep || '_' || first, parent, keep, first, "end");
  END LOOP;
  INSERT INTO semel.closed_days (keep_days, first_day, end_day) VALUES (keep, first, "end");
END
$$;

CREATE FUNCTION semel.drop_days(keep integer, first integer) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = semel, pg_temp AS $$
DECLARE
  parent text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('semel.closed', 0));
  DELETE FROM semel.closed_days d WHERE d.keep_days = keep AND d.first_day = first AND d.leaving_since IS NOT NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  FOREACH parent IN ARRAY ARRAY['closed', 'closed_attempts'] LOOP
    EXECUTE format('ALTER TABLE semel.%2$I DETACH PARTITION semel.%1$I', parent || '_' || keep || '_' || first, parent);
    EXECUTE format('DROP TABLE semel.%1$I', parent || '_' || keep || '_' || first);
  END LOOP;
  IF NOT EXISTS (SELECT FROM semel.closed_days d WHERE d.keep_days = keep) THEN
    DELETE FROM semel.closed_queues q WHERE q.keep_days = keep;
  END IF;
END
$$;

-- Whether a partition still counts.
CREATE FUNCTION semel.is_leaving(keep integer, day integer) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM semel.closed_days d WHERE d.leaving_since IS NOT NULL AND d.keep_days = keep
                 AND d.first_day <= day AND day < d.end_day)
$$;

-- What closed in a queue that keeps nothing is removed at once. Whoever waited for it at another server still finds here,
-- for a minute, how it ended. Not worth a write to the log: after a crash nobody waits any more.
CREATE UNLOGGED TABLE semel.departed (
  gone_at bigint NOT NULL,
  LIKE semel.executions,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX departed_by_time ON semel.departed (gone_at);

-- ==== For people who query by hand.

CREATE OR REPLACE VIEW semel.tasks AS
SELECT e.tenant, e.id, (ARRAY['pending', 'running', 'suspended', 'completed', 'failed', 'cancelled', 'timed_out'])[e.state + 1] AS state,
       e.queue, e.handler, e.namespace, e.name, e.version, e.key, e.priority, e.attempt,
       semel.time_of(e.created_at) AS created_at, semel.time_of(e.run_at) AS run_at,
       semel.time_of(e.started_at) AS started_at, semel.time_of(e.closed_at) AS closed_at,
       semel.time_of(e.deadline) AS deadline, e.created_by, e.previous, e.hash, e.concurrency_key,
       semel.as_jsonb(e.labels) AS labels, semel.as_jsonb(e.context) AS context, semel.as_jsonb(e.result) AS result,
       semel.as_jsonb(e.error) AS error
FROM semel.executions e
UNION ALL
SELECT c.tenant, c.id, (ARRAY['pending', 'running', 'suspended', 'completed', 'failed', 'cancelled', 'timed_out'])[c.state + 1] AS state,
       c.queue, c.handler, c.namespace, c.name, c.version, c.key, c.priority, c.attempt,
       semel.time_of(c.created_at), semel.time_of(c.run_at), semel.time_of(c.started_at), semel.time_of(c.closed_at),
       semel.time_of(c.deadline), c.created_by, c.previous, c.hash, c.concurrency_key,
       semel.as_jsonb(c.labels), semel.as_jsonb(c.context), semel.as_jsonb(c.result), semel.as_jsonb(c.error)
FROM semel.closed c WHERE NOT semel.is_leaving(c.keep_days, c.closed_day);

CREATE OR REPLACE VIEW semel.task_attempts AS
SELECT a.tenant, a.execution_id, a.number, a.id, a.worker,
       (ARRAY['running', 'completed', 'failed', 'lease_ended', 'timed_out', 'cancelled', 'undelivered'])[a.outcome + 1] AS outcome,
       semel.time_of(a.started_at) AS started_at, semel.time_of(a.lease_until) AS lease_until,
       semel.time_of(a.ended_at) AS ended_at, semel.as_jsonb(a.error) AS error
FROM semel.attempts a
UNION ALL
SELECT c.tenant, c.execution_id, c.number, c.id, c.worker,
       (ARRAY['running', 'completed', 'failed', 'lease_ended', 'timed_out', 'cancelled', 'undelivered'])[c.outcome + 1],
       semel.time_of(c.started_at), semel.time_of(c.lease_until), semel.time_of(c.ended_at), semel.as_jsonb(c.error)
FROM semel.closed_attempts c WHERE NOT semel.is_leaving(c.keep_days, c.closed_day);
