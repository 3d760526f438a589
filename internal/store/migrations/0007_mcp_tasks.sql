-- Calls of MCP clients that their clients do not wait for (internal/mcpserver, Task). What a task is stands in
-- data, as JSON.
CREATE TABLE mcp_tasks (
	id        TEXT PRIMARY KEY,
	principal TEXT NOT NULL,
	created   INTEGER NOT NULL,
	working   INTEGER NOT NULL, -- a process is at it: owner
	owner     TEXT NOT NULL,
	data      BLOB NOT NULL
) STRICT;
CREATE INDEX mcp_tasks_created ON mcp_tasks (created);
