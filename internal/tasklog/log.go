package tasklog

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/a2a-acp/a2a-acp/internal/database"
)

// Name is the log's name in the state directory.
const Name = "tasks.db"

// The steps by which the tables came to be; see database.Open.
//
//go:embed migrations/*.sql
var migrations embed.FS

// Log is an open log. It is safe for concurrent use, also by several processes. Close it.
type Log struct {
	writing *sql.DB // one connection, used by the writer alone once it runs
	reading *sql.DB
	now     func() time.Time
	look    time.Duration

	mostWanted int // MostWanted, but for tests

	requests chan *request
	closing  chan struct{}
	closed   chan struct{} // the writer has ended
	close    sync.Once

	heads *lru.Cache[string, Task] // what was last written or read of tasks
	hub   hub
	news  news
	kept  kept
}

// Options configure a Log.
type Options struct {
	Path string           // required: the file; its directory is ours alone (see internal/state)
	Now  func() time.Time // optional, default time.Now
	// Look is how often the writer looks for what other processes have appended. Optional, default 250 ms.
	Look time.Duration
}

const (
	readers    = 4
	headsKept  = 8192
	mostQueued = 1024 // requests that wait for the writer; who comes then waits in line
)

// Open opens the log, and makes it where there is none.
func Open(ctx context.Context, o Options) (*Log, error) {
	l := &Log{
		now: o.Now, look: o.Look, mostWanted: MostWanted, requests: make(chan *request, mostQueued),
		closing: make(chan struct{}), closed: make(chan struct{}),
	}
	if l.now == nil {
		l.now = time.Now
	}
	if l.look <= 0 {
		l.look = 250 * time.Millisecond
	}
	l.hub.tasks = map[string]*live{}
	l.news.next = make(chan struct{})
	var err error
	if l.heads, err = lru.New[string, Task](headsKept); err != nil {
		return nil, err
	}
	if l.writing, err = database.Open(ctx, o.Path, migrations); err != nil {
		return nil, fmt.Errorf("log of tasks %s: %w", o.Path, err)
	}
	if l.reading, err = database.OpenReading(o.Path, readers); err != nil {
		return nil, errors.Join(fmt.Errorf("log of tasks %s: %w", o.Path, err), l.writing.Close())
	}
	w, err := newWriter(ctx, l)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("log of tasks %s: %w", o.Path, err), l.reading.Close(), l.writing.Close())
	}
	go w.run() // ends with Close
	return l, nil
}

// Close has what was handed in written, leaves the tasks that this process worked on to whoever comes next, ends
// all followers with ErrClosed, and closes the files.
func (l *Log) Close() error {
	var err error
	l.close.Do(func() {
		close(l.closing)
		<-l.closed
		l.hub.end()
		err = errors.Join(l.reading.Close(), l.writing.Close())
	})
	return err
}
