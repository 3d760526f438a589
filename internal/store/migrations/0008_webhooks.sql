-- What is known of each subscription: how far it is, who delivers to it, and how the delivery stands that it is at. Items that are
-- owed are in no table: they are what its source has behind position.
CREATE TABLE webhooks (
    source    TEXT    NOT NULL, -- what it follows: record, checkpoints, or what a door keeps
    id        TEXT    NOT NULL,
    position  INTEGER NOT NULL, -- of the last item that is settled: delivered, given up, or none that it wants
    token     TEXT    NOT NULL, -- what the source knows that item by; '' for any
    state     TEXT    NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'paused', 'off')),
    reason    TEXT    NOT NULL DEFAULT '', -- of the state
    since     INTEGER NOT NULL DEFAULT 0,  -- of the state; milliseconds since 1970, as until, failing, due and last
    target    TEXT    NOT NULL DEFAULT '', -- names the receiver, so that another one is not held to what this one did
    holder    TEXT    NOT NULL DEFAULT '', -- who delivers; '' for nobody
    term      INTEGER NOT NULL DEFAULT 0,  -- rises whenever somebody else than the holder changes something
    until     INTEGER NOT NULL DEFAULT 0,  -- when the holder's lease ends
    attempts  INTEGER NOT NULL DEFAULT 0,  -- that have failed, of the delivery that it is at
    failing   INTEGER NOT NULL DEFAULT 0,  -- since when that fails
    due       INTEGER NOT NULL DEFAULT 0,  -- no attempt before
    error     TEXT    NOT NULL DEFAULT '', -- of the last attempt
    delivered INTEGER NOT NULL DEFAULT 0,  -- how many were
    last      INTEGER NOT NULL DEFAULT 0,  -- when the last one was
    PRIMARY KEY (source, id)
) STRICT, WITHOUT ROWID;

-- Deliveries that were given up, and those that somebody wants once more (again > 0). The item itself is its source's.
CREATE TABLE webhook_letters (
    source   TEXT    NOT NULL,
    id       TEXT    NOT NULL, -- of the subscription
    position INTEGER NOT NULL,
    item     TEXT    NOT NULL, -- its id, as the receiver is told; '' where it is not known yet
    event    TEXT    NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    failing  INTEGER NOT NULL DEFAULT 0, -- milliseconds since 1970, as given_up and again
    given_up INTEGER NOT NULL DEFAULT 0, -- 0 for one that never was
    error    TEXT    NOT NULL DEFAULT '',
    again    INTEGER NOT NULL DEFAULT 0, -- since when it is wanted once more; 0 for not
    PRIMARY KEY (source, id, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_letters_again ON webhook_letters (source, id, position) WHERE again > 0;
