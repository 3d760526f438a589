-- The number of the last event, which no event has again, although the last ones may be removed. AUTOINCREMENT looks it up
-- and keeps it with each row; this is done once in a transaction.
CREATE TABLE written (n INTEGER NOT NULL) STRICT;
INSERT INTO written SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0);

-- The same as before, where each row costs less: SQLite makes a tree of its own of the values in an IN, each time.
CREATE TABLE events_anew (
    n      INTEGER PRIMARY KEY, -- of all tasks, in the order in which they were written
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
    FOREIGN KEY (task, prev, before) REFERENCES events_anew (task, seq, after),
    CHECK (CASE kind WHEN 'created' THEN seq = 1 AND prev IS NULL ELSE seq > 1 AND prev = seq - 1 END),
    CHECK (CASE kind
        WHEN 'created' THEN before = '' AND after = 'submitted'
        WHEN 'status' THEN
            (before = 'working' OR before = 'submitted' OR before = 'input-required' OR before = 'auth-required')
            AND (after = 'working' OR after = 'completed' OR after = 'input-required' OR after = 'failed'
                OR after = 'canceled' OR after = 'auth-required' OR after = 'rejected')
        WHEN 'artifact' THEN before = after
            AND (before = 'working' OR before = 'submitted' OR before = 'input-required' OR before = 'auth-required')
        ELSE 0 END)
) STRICT;

INSERT INTO events_anew (n, task, seq, prev, kind, before, after, at, body, input)
    SELECT n, task, seq, prev, kind, before, after, at, body, input FROM events ORDER BY n;
DROP TABLE events;
ALTER TABLE events_anew RENAME TO events;

CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are not changed');
END;
