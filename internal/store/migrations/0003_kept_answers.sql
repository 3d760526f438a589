-- A question outlives the process that asked. key names the act for whoever asks about the very same one later, "" where nobody
-- could; used says when an answer was given to a call, and used_by to which, so that no answer counts twice; left says when
-- somebody first noticed that the process which asked had ended.
ALTER TABLE approvals ADD COLUMN key     TEXT    NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN used    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN used_by TEXT    NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN left_at INTEGER NOT NULL DEFAULT 0;

CREATE INDEX approvals_by_key ON approvals (key) WHERE key <> '';
