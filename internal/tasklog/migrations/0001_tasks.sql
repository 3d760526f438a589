-- seq, state and changed are what the task's last event says.
CREATE TABLE tasks (
    num     INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT    NOT NULL UNIQUE,
    door    TEXT    NOT NULL, -- whose task it is
    owner   TEXT    NOT NULL, -- the principal
    context TEXT    NOT NULL,
    worker  TEXT    NOT NULL, -- the process that works on it; see internal/process
    created INTEGER NOT NULL, -- milliseconds since 1970, as changed
    seq     INTEGER NOT NULL,
    state   TEXT    NOT NULL,
    changed INTEGER NOT NULL  -- when its status last changed
) STRICT;

CREATE INDEX tasks_by_owner ON tasks (owner, changed, num);
CREATE INDEX tasks_by_context ON tasks (context, changed, num);

-- An event follows the one before it, in number and in state, and leads only where states.go says: nothing else can be written.
-- (A trigger would say it shorter, and make SQLite keep a journal of each statement.)
CREATE TABLE events (
    n      INTEGER PRIMARY KEY AUTOINCREMENT, -- of all tasks, in the order in which they were written
    task   INTEGER NOT NULL REFERENCES tasks (num) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,
    prev   INTEGER, -- seq - 1; NULL for the first
    kind   TEXT    NOT NULL,
    before TEXT    NOT NULL,
    after  TEXT    NOT NULL,
    at     INTEGER NOT NULL, -- milliseconds since 1970
    body   BLOB    NOT NULL,
    input  BLOB, -- what somebody sent that led to the event, where it is not in body
    UNIQUE (task, seq, after),
    UNIQUE (task, seq),
    FOREIGN KEY (task, prev, before) REFERENCES events (task, seq, after),
    CHECK (CASE kind WHEN 'created' THEN seq = 1 AND prev IS NULL ELSE seq > 1 AND prev = seq - 1 END),
    CHECK (CASE kind
        WHEN 'created' THEN before = '' AND after = 'submitted'
        WHEN 'status' THEN before IN ('submitted', 'working', 'input-required', 'auth-required')
            AND after IN ('working', 'input-required', 'auth-required', 'completed', 'failed', 'canceled', 'rejected')
        WHEN 'artifact' THEN before = after AND before IN ('submitted', 'working', 'input-required', 'auth-required')
        ELSE 0 END)
) STRICT;

-- Who wants to be told of a task elsewhere. What a config says is its door's business.
CREATE TABLE configs (
    num    INTEGER PRIMARY KEY AUTOINCREMENT,
    task   INTEGER NOT NULL REFERENCES tasks (num) ON DELETE CASCADE,
    id     TEXT    NOT NULL,
    since  INTEGER NOT NULL, -- the task's last event when it was made: what comes after is told
    body   BLOB    NOT NULL,
    UNIQUE (task, id)
) STRICT;

CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are not changed');
END;

CREATE TRIGGER tasks_end_first BEFORE DELETE ON tasks
WHEN OLD.state NOT IN ('completed', 'failed', 'canceled', 'rejected')
BEGIN
    SELECT RAISE(ABORT, 'the task goes on');
END;
