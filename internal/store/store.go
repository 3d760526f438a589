package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/database"
	"github.com/a2a-acp/a2a-acp/internal/process"
)

// The steps by which the tables came to be; see database.Open.
//
//go:embed migrations/*.sql
var migrations embed.FS

// Name is the database's name in the state directory. SQLite puts its -wal and -shm files beside it.
const Name = "state.db"

// Store is an open database. It is safe for concurrent use, also by several processes. Close it.
type Store struct {
	db     *sql.DB
	owner  string        // this process; read once, so that it is the same when no file can be opened any more
	self   func() string // names this Store among those of all processes
	now    func() time.Time
	record func(transition Transition, before, now Approval) error
}

// Options says what a Store is made of.
type Options struct {
	Path string           // required: the database; its directory is ours alone (see internal/state)
	Now  func() time.Time // optional, default time.Now
	// Record puts on record what becomes of a question besides being asked and answered: as it was, and as
	// it will be. It is called before that counts, while nobody else can change the question; with an error
	// nothing changes. Optional.
	Record func(transition Transition, before, now Approval) error
	// Relaxed has what is kept survive the end of every process, and a power cut only what is some time old:
	// no change waits for the disk, nor holds up those that others put there.
	Relaxed bool
}

// Open opens the database, makes it where there is none (mode 0600), and brings its tables to the present
// form. It waits for other processes that are at the same. One that a newer version of the program has been
// at is refused.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{now: o.Now, record: o.Record, owner: process.This()}
	s.self = sync.OnceValue(func() string { return NewID() + " " + s.owner })
	if s.now == nil {
		s.now = time.Now
	}
	var err error
	if s.db, err = database.Open(ctx, o.Path, migrations); err != nil {
		return nil, fmt.Errorf("store %s: %w", o.Path, err)
	}
	if o.Relaxed { // in WAL mode the database stays whole (https://sqlite.org/pragma.html#pragma_synchronous)
		if _, err := s.db.ExecContext(ctx, `PRAGMA synchronous = NORMAL`); err != nil {
			return nil, errors.Join(fmt.Errorf("store %s: %w", o.Path, err), s.db.Close())
		}
	}
	return s, nil
}

// Close ends the use of the database. What was kept is kept.
func (s *Store) Close() error { return s.db.Close() }
