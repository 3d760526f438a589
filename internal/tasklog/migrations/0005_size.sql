-- How many bytes a task takes, about: what its events and configs hold, and as much again for each as the tables add.
ALTER TABLE tasks ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE tasks SET size = (SELECT coalesce(sum(length(body) + coalesce(length(input), 0) + 256), 0) FROM events WHERE task = num)
    + (SELECT coalesce(sum(length(body) + 256), 0) FROM configs WHERE task = tasks.num);
