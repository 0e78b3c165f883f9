-- What was said about queues; tenant 0 is the configuration, which speaks for all.
CREATE TABLE queues (
  tenant_id           INTEGER NOT NULL,
  name                TEXT    NOT NULL,
  retention_ms        INTEGER,
  rate_count          INTEGER,  -- 0 = no limit, whatever the configuration says
  rate_ms             INTEGER,
  rate_burst          INTEGER,
  max_running         INTEGER,  -- 0 = no limit
  max_running_per_key INTEGER,
  paused              INTEGER,
  reuse               INTEGER,
  window_kind         INTEGER,
  window_ms           INTEGER,
  PRIMARY KEY (tenant_id, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE executions ADD COLUMN concurrency_key TEXT;

-- Two more phases: 3 is running and counted, 4 waits until another task with its concurrency key ends.
CREATE INDEX executions_counted ON executions (tenant_id, queue) WHERE phase = 3;
CREATE INDEX executions_keyed ON executions (tenant_id, queue, concurrency_key)
  WHERE concurrency_key IS NOT NULL AND phase IN (1, 3);
CREATE INDEX executions_blocked ON executions (tenant_id, queue, concurrency_key, priority DESC, order_at, id)
  WHERE phase = 4;

-- What retention looks at: closed executions by queue and age, and tombstones by the time at which they hold nothing.
CREATE INDEX executions_closed ON executions (tenant_id, queue, closed_at) WHERE closed_at IS NOT NULL;
ALTER TABLE tombstones ADD COLUMN expires_at INTEGER;  -- absent = never
CREATE INDEX tombstones_by_expiry ON tombstones (expires_at) WHERE expires_at IS NOT NULL;
