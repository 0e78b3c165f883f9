-- What is looked for among many others, newest first: failures, and executions that are no tasks. Both indexes are
-- written for few executions only, so that tasks which come and go as they should pay nothing for them.
CREATE INDEX executions_failed ON executions (tenant_id) WHERE state IN (4, 6);
CREATE INDEX executions_but_tasks ON executions (tenant_id, kind) WHERE kind <> 0;
