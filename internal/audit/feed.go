package audit

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Feed lets readers follow the record while it grows, also when other processes write it. It watches whatever
// directory has the record's name: after Accept that is another one. It watches once, whatever the number of
// readers: a user may have 128 inotify instances (inotify(7), max_user_instances). It is safe for concurrent use.
// Close it.
type Feed struct {
	dir    string
	notify *fsnotify.Watcher
	done   sync.WaitGroup

	mu   sync.Mutex
	news chan struct{} // closed and replaced when the record may have grown
}

// settleTime is how long a change waits for those that follow it before readers are told. A call puts several lines on
// record within a few milliseconds: readers that looked after each would take the lock that the next one waits for.
const settleTime = 5 * time.Millisecond

// rewatchEvery is how often a directory is looked for that has lost its name.
const rewatchEvery = 100 * time.Millisecond

// OpenFeed begins to watch the record in dir, which must exist.
func OpenFeed(dir string) (*Feed, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("follow the record: %w", err)
	}
	if err := notify.Add(dir); err != nil {
		notify.Close() //nolint:errcheck // the error before it is told
		return nil, fmt.Errorf("follow the record in %s: %w", dir, err)
	}
	f := &Feed{dir: dir, notify: notify, news: make(chan struct{})}
	f.done.Add(1)
	go f.watch() // ends when Close closes the watcher's channels
	return f, nil
}

// Close ends the watching. Readers that wait go on waiting until their own context ends.
func (f *Feed) Close() error {
	err := f.notify.Close()
	f.done.Wait()
	return err
}

// watch tells the readers of changes, those within settleTime at once. An error of the watcher means lost events, so it
// counts as a change, too.
func (f *Feed) watch() {
	defer f.done.Done()
	var settled, again <-chan time.Time // nil where there is nothing to tell, or to look for
	changed := func() {
		if settled == nil {
			settled = time.After(settleTime)
		}
	}
	rewatch := func() { // a directory that was moved is watched no more, whatever has its name (fsnotify)
		if again = nil; f.notify.Add(f.dir) != nil {
			again = time.After(rewatchEvery)
		}
		changed()
	}
	for {
		select {
		case <-settled:
			settled = nil
			f.tell()
		case <-again:
			rewatch()
		case event, open := <-f.notify.Events:
			if !open {
				return
			}
			name := filepath.Base(event.Name)
			if event.Name == f.dir {
				rewatch()
			} else if _, ok := segmentFirst(name); ok || name == checkpointsName {
				changed()
			}
		case _, open := <-f.notify.Errors:
			if !open {
				return
			}
			changed()
		}
	}
}

func (f *Feed) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.news)
	f.news = make(chan struct{})
}

// News returns a channel that is closed when the record may have grown. Whoever waits takes it before looking at
// the record, so that nothing falls between the look and the wait.
func (f *Feed) News() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.news
}
