-- An answer that was given where it was asked is used by that very act; only one from elsewhere may wait, for an asker that is gone.
-- The table holds nothing else: answered_where says where, and the constraints say what follows. A row names its act (call_id), so
-- that a use can be told from none.
--
-- Answers that stand unused in an older table may have been used without a word, so they count no more: whoever asks again asks
-- a person.
CREATE TABLE approvals_new (
    id        TEXT PRIMARY KEY,
    asked     INTEGER NOT NULL, -- milliseconds since 1970, as expires, answered, used and left_at
    expires   INTEGER NOT NULL,
    state     TEXT    NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied', 'withdrawn')),
    owner     TEXT    NOT NULL, -- the process that asks; see owner
    door      TEXT    NOT NULL,
    agent     TEXT    NOT NULL,
    session   TEXT    NOT NULL,
    call_id   TEXT    NOT NULL CHECK (call_id <> ''),
    tool_call TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    title     TEXT    NOT NULL,
    text      TEXT    NOT NULL,
    digest    TEXT    NOT NULL,
    bound     INTEGER NOT NULL CHECK (bound IN (0, 1)),
    answered  INTEGER NOT NULL DEFAULT 0,
    answered_where TEXT NOT NULL DEFAULT '' CHECK (answered_where IN ('', 'asker', 'elsewhere')),
    approver  TEXT    NOT NULL DEFAULT '',
    reason    TEXT    NOT NULL DEFAULT '',
    key       TEXT    NOT NULL DEFAULT '',
    used      INTEGER NOT NULL DEFAULT 0,
    used_by   TEXT    NOT NULL DEFAULT '',
    left_at   INTEGER NOT NULL DEFAULT 0,
    CHECK (state NOT IN ('approved', 'denied') OR answered_where <> ''),
    CHECK (answered_where <> 'asker' OR used > 0),
    CHECK ((used > 0) = (used_by <> ''))
) STRICT;

INSERT INTO approvals_new
    SELECT id, asked, expires, state, owner, door, agent, session, CASE call_id WHEN '' THEN 'unknown' ELSE call_id END, tool_call,
        kind, title, text, digest, bound, answered, CASE WHEN state IN ('approved', 'denied') THEN 'elsewhere' ELSE '' END, approver,
        reason, key,
        CASE WHEN state IN ('approved', 'denied') AND used = 0 THEN max(answered, 1) ELSE used END,
        CASE WHEN state IN ('approved', 'denied') AND used_by = '' THEN 'unknown' ELSE used_by END,
        left_at
    FROM approvals;

DROP TABLE approvals;
ALTER TABLE approvals_new RENAME TO approvals;

CREATE INDEX approvals_by_time ON approvals (asked);
CREATE INDEX approvals_by_key ON approvals (key) WHERE key <> '';
