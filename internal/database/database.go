package database

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"

	"modernc.org/sqlite"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// Open opens a database, makes it where there is none (mode 0600), and takes the steps of
// migrations/*.sql that it has not taken yet. The directory is ours alone (see internal/state). It waits for
// other processes that are at the same. One that a newer version of the program has been at is refused. The
// caller closes it.
//
// There is one connection: what one process writes is small, and this way it never waits for itself.
func Open(ctx context.Context, path string, migrations fs.FS) (*sql.DB, error) {
	unlock, err := claim(ctx, path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	db, err := sql.Open("sqlite", source(path))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db, migrations); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Begin begins a transaction and takes the write lock. SQLite's own patience of five seconds is too short where
// many processes stand in line on a slow disk, since whoever waits is not served in turn; so it is given a few
// times, as long as ctx allows.
func Begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	const tries, locked = 6, 5 // SQLITE_BUSY, https://sqlite.org/rescode.html
	for try := 1; ; try++ {
		tx, err := db.BeginTx(ctx, nil)
		var failed *sqlite.Error
		if !errors.As(err, &failed) || failed.Code()&0xff != locked || try == tries || ctx.Err() != nil {
			return tx, err
		}
	}
}

// source is the database as the driver wants it named. The driver sets busy_timeout before everything else.
func source(path string) string {
	return named(path, url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)", "journal_mode(WAL)",
		"synchronous(FULL)", "foreign_keys(1)", "trusted_schema(0)"}})
}

// reading is the same for those who only read.
func reading(path string) string {
	return named(path, url.Values{"_pragma": {"busy_timeout(5000)", "query_only(1)", "trusted_schema(0)"}})
}

func named(path string, query url.Values) string {
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// claim makes the file with its mode, and takes the lock under which the database is opened: two processes
// that bring a new one into WAL mode at the same time get SQLITE_BUSY at once, whatever their patience.
// SQLite gives its other files the mode of this one.
func claim(ctx context.Context, path string) (unlock func(), err error) {
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err = filelock.Take(ctx, lock); err == nil {
		err = own(lock, path)
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return func() {
		_ = filelock.Release(lock) // closing lets go as well
		lock.Close()
	}, nil
}

// own sees to it that the database is one that was made here, and ours alone. Whoever writes a repository can
// bring one along and have A2A_STATE_DIR name it (direnv does), with a yes in it to whatever an agent does
// next. So the lock says which file the database is, and nobody knows before which one his becomes; another
// is set aside before anything of it is read. It can be a person's own, from a backup or another machine:
// then its questions are asked again.
func own(lock *os.File, path string) error {
	made, err := io.ReadAll(io.LimitReader(lock, 1<<10))
	if err != nil {
		return err
	}
	is, err := identityOf(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		if err := private(path); err != nil || is == string(made) {
			return err
		}
	}
	for _, end := range []string{"-journal", "-wal", "-shm", ""} {
		if err := os.Remove(path + setAside + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Rename(path+end, path+setAside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := private(path); err != nil {
		return err
	}
	if is, err = identityOf(path); err != nil {
		return err
	}
	if err := lock.Truncate(0); err != nil {
		return err
	}
	_, err = lock.WriteAt([]byte(is), 0)
	return err
}

// setAside ends the name of a database that was made elsewhere. Nothing reads it.
const setAside = ".elsewhere"

// private sees to it that the database is a file of ours that nobody else reads. One that is there is not opened for
// that: this process may have it open already, and would lose its locks (https://sqlite.org/howtocorrupt.html, 2.2).
func private(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		return file.Close()
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no file; move it away")
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(path, info.Mode().Perm()&^fs.FileMode(0o077))
	}
	return nil
}

// OpenReading opens a database that Open has opened for reading it by several connections at once, beside the
// one that writes. The caller closes it.
func OpenReading(path string, connections int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", reading(path))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}
