-- Who called the daemon, by the name that it knows the caller by; '' for a question that did not come through it.
ALTER TABLE approvals ADD COLUMN principal TEXT NOT NULL DEFAULT '';
