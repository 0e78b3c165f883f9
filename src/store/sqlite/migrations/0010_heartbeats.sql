-- When the worker of an attempt, or the target that it was pushed to, was last heard of; absent: never.
ALTER TABLE attempts ADD COLUMN last_heartbeat_at INTEGER;
