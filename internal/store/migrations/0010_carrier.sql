-- Who carries the act out where we do not do it ourselves, in words; '' where that is not known.
ALTER TABLE approvals ADD COLUMN carrier TEXT NOT NULL DEFAULT '';
