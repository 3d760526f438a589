-- What a person has allowed for the rest of a session ("always"). It counts as long as the process that keeps the session lives
-- and nobody has revoked it.
CREATE TABLE grants (
    id       TEXT PRIMARY KEY,
    granted  INTEGER NOT NULL, -- milliseconds since 1970, as revoked
    owner    TEXT    NOT NULL, -- the process that keeps the session; see owner
    agent    TEXT    NOT NULL,
    session  TEXT    NOT NULL,
    key      TEXT    NOT NULL, -- names what is allowed; the process knows what it means
    words    TEXT    NOT NULL, -- what is allowed, for people
    revoked  INTEGER NOT NULL DEFAULT 0,
    revoker  TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX grants_by_key ON grants (owner, session, key);
