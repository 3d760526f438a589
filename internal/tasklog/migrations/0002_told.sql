-- told says that all that a config wants to be told has been: its task has ended.
ALTER TABLE configs ADD COLUMN told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1));
