-- By how much a yes for the rest of the session goes beyond the narrowest that the question offers. What can be allowed is a list
-- of texts in JSON from now on, the narrowest first; before it was one text.
ALTER TABLE approvals ADD COLUMN wider INTEGER NOT NULL DEFAULT 0 CHECK (wider = 0 OR wider > 0 AND always = 1);
