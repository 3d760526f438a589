-- What a yes for the whole session would allow, in words; '' where there is none. always tells that the yes is one.
ALTER TABLE approvals ADD COLUMN lasting TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN always INTEGER NOT NULL DEFAULT 0 CHECK (always = 0 OR always = 1 AND state <> 'denied' AND lasting <> '');
