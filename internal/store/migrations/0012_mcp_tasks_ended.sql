-- Whether a task has ended: those of a principal that ended first go where it has too many.
ALTER TABLE mcp_tasks ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
CREATE INDEX mcp_tasks_principal ON mcp_tasks (principal, created);
