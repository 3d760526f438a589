-- Which session an agent that is driven without an editor has for a conversation, so that another process goes on with it.
CREATE TABLE agent_sessions (
    agent     TEXT    NOT NULL, -- as it is configured
    principal TEXT    NOT NULL, -- who talks to it
    context   TEXT    NOT NULL, -- the conversation
    session   TEXT    NOT NULL, -- the agent's id
    workspace TEXT    NOT NULL, -- the directory that it works in
    used      INTEGER NOT NULL, -- when a process took it up last, in milliseconds since 1970
    PRIMARY KEY (agent, principal, context)
) STRICT;

CREATE INDEX agent_sessions_by_use ON agent_sessions (used);

-- Whether only a person at a terminal of this machine may answer a question, and no client for its person.
ALTER TABLE approvals ADD COLUMN at_terminal INTEGER NOT NULL DEFAULT 0;
