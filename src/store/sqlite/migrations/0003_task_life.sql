-- Retries, time limits and progress.
ALTER TABLE executions ADD COLUMN retry TEXT;        -- "max_attempts backoff base_ms cap_ms jitter_percent"; absent = the usual
ALTER TABLE executions ADD COLUMN timeout_ms INTEGER;  -- of one attempt
ALTER TABLE executions ADD COLUMN deadline INTEGER;    -- of the whole
ALTER TABLE executions ADD COLUMN uncounted_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN progress INTEGER;    -- in millionths, of the newest attempt
ALTER TABLE executions ADD COLUMN progress_message TEXT;

-- Deadlines of executions that nobody works on; those of running ones end their leases.
CREATE INDEX executions_deadline ON executions (deadline) WHERE deadline IS NOT NULL AND state IN (0, 2);

-- Executions that got their identity back when they were reopened: the order of insertion says nothing about them.
CREATE TABLE reclaimed (
  seq INTEGER PRIMARY KEY  -- of the execution
) STRICT;
