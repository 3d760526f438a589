-- The task and the context of an A2A client that the act is for; '' for none.
ALTER TABLE approvals ADD COLUMN task    TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN context TEXT NOT NULL DEFAULT '';
