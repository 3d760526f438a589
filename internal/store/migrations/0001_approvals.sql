-- Questions to a person, and their answers. A row is pending until the first of: an answer, its expiry, its withdrawal, the
-- end of the process that asked.
CREATE TABLE approvals (
    id        TEXT PRIMARY KEY,
    asked     INTEGER NOT NULL, -- milliseconds since 1970, as expires and answered
    expires   INTEGER NOT NULL,
    state     TEXT    NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied', 'withdrawn')),
    owner     TEXT    NOT NULL, -- the process that asked; see owner
    door      TEXT    NOT NULL,
    agent     TEXT    NOT NULL,
    session   TEXT    NOT NULL,
    call_id   TEXT    NOT NULL,
    tool_call TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    title     TEXT    NOT NULL,
    text      TEXT    NOT NULL,
    digest    TEXT    NOT NULL,
    bound     INTEGER NOT NULL CHECK (bound IN (0, 1)),
    answered  INTEGER NOT NULL DEFAULT 0,
    approver  TEXT    NOT NULL DEFAULT '',
    reason    TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX approvals_by_time ON approvals (asked);
