package database

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
)

// migrate takes the steps that the database has not taken yet. It keeps their number as SQLite's
// user_version.
func migrate(ctx context.Context, db *sql.DB, migrations fs.FS) error {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	var taken int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&taken); err != nil {
		return err
	}
	if taken > len(names) {
		return fmt.Errorf("a newer version of a2a-acp has changed it (step %d, this one knows %d); use that one",
			taken, len(names))
	}
	for i, name := range names[taken:] {
		step, err := fs.ReadFile(migrations, name)
		if err != nil {
			return err
		}
		if err := take(ctx, db, string(step), taken+i+1); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// take takes one step, whole or not at all.
func take(ctx context.Context, db *sql.DB, step string, number int) error {
	tx, err := Begin(ctx, db)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it has no effect after Commit, and before there is an error already
	if _, err := tx.ExecContext(ctx, step); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", number)); err != nil {
		return err
	}
	return tx.Commit()
}
