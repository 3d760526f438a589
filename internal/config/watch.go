package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// SettleTime is how long the files must be quiet before they are read: editors write in several steps.
const SettleTime = 100 * time.Millisecond

// WatchOptions says what a Watcher tells, and to whom. The functions are called one at a time: by Watch
// itself, and later from the Watcher's own goroutine. They must not call Close.
type WatchOptions struct {
	// Changed is told a new set, when what the files say has changed and is good.
	Changed func(*Set) // required
	// Trouble is told why a change is not used, once per distinct reason until all is well again. What
	// counted before still counts.
	Trouble func(error) // required

	after func(time.Duration) <-chan time.Time // time.After but in tests
}

// Watcher keeps a Set fresh while the files behind it change. It is safe for concurrent use.
type Watcher struct {
	sources Sources
	options WatchOptions
	current atomic.Pointer[Set]

	notify *fsnotify.Watcher
	stop   chan struct{}
	close  sync.Once
	done   sync.WaitGroup

	// Of the goroutine alone.
	interest map[string]bool // names whose change may change what is read
	said     map[string]bool // troubles told since all was well
}

// Watch begins to watch the files behind set, which Load read from sources. Before it returns it looks once,
// for changes made in between. The caller closes the Watcher.
func Watch(sources Sources, set *Set, options WatchOptions) (*Watcher, error) {
	w, err := newWatcher(sources, set, options)
	if err != nil {
		return nil, err
	}
	w.look()
	w.done.Add(1)
	go w.run() // ends when Close is called
	return w, nil
}

// newWatcher makes a Watcher that does nothing yet.
func newWatcher(sources Sources, set *Set, options WatchOptions) (*Watcher, error) {
	if set == nil || options.Changed == nil || options.Trouble == nil {
		return nil, errors.New("watch configuration: a set, Changed and Trouble are required")
	}
	if options.after == nil {
		options.after = time.After
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch configuration: %w", err)
	}
	w := &Watcher{
		sources: sources, options: options, notify: notify,
		stop: make(chan struct{}), said: map[string]bool{},
	}
	w.current.Store(set)
	return w, nil
}

// Close ends the watching and waits for its goroutine. It may be called more than once.
func (w *Watcher) Close() error {
	w.close.Do(func() { close(w.stop) })
	w.done.Wait()
	return w.notify.Close()
}

// run waits for changes to settle, and looks.
func (w *Watcher) run() {
	defer w.done.Done()
	var settled <-chan time.Time
	for {
		select {
		case <-w.stop:
			return
		case event := <-w.notify.Events:
			if w.interest[event.Name] {
				settled = w.options.after(SettleTime)
			}
		case <-w.notify.Errors:
			// Events were lost, most likely: too many at once.
			settled = w.options.after(SettleTime)
		case <-settled:
			settled = nil
			w.look()
		}
	}
}

// look reads the files again and tells what came of it. The directories are watched before the files are
// read, so that no change falls in between.
func (w *Watcher) look() {
	troubles := w.watchAll()
	last := w.current.Load()
	set, err := Reload(w.sources, last)
	switch {
	case err != nil:
		troubles = append(troubles, err)
	default:
		for _, warning := range set.Warnings {
			if warning.Rule == ruleVanished {
				troubles = append(troubles, warning)
			}
		}
		if !slices.EqualFunc(last.Files, set.Files, File.equal) {
			w.current.Store(set)
			w.options.Changed(set)
		}
	}
	for _, trouble := range troubles {
		if !w.said[trouble.Error()] {
			w.said[trouble.Error()] = true
			w.options.Trouble(trouble)
		}
	}
	if len(troubles) == 0 {
		clear(w.said)
	}
}

// watchAll watches the directory of every name on the way to every file that could be changed for another: of
// links, of the file itself, and of the first name that is missing. Editors replace files by renaming, which
// only the directory shows.
func (w *Watcher) watchAll() []error {
	w.interest = map[string]bool{}
	directories := map[string]bool{}
	candidates, _ := w.sources.candidates()
	paths := []string{w.sources.TrustPath}
	for _, c := range candidates {
		paths = append(paths, c.path)
	}
	for _, path := range paths {
		if path == "" {
			continue
		}
		steps := pathSteps(path)
		for i, step := range steps {
			w.interest[step.path] = true
			if step.link || i == len(steps)-1 {
				directories[filepath.Dir(step.path)] = true
			}
		}
	}
	for _, watched := range w.notify.WatchList() {
		if !directories[watched] {
			// It is gone already when its directory is.
			_ = w.notify.Remove(watched)
		}
	}
	var troubles []error
	for _, directory := range slices.Sorted(maps.Keys(directories)) {
		if err := w.notify.Add(directory); err != nil && !errors.Is(err, os.ErrNotExist) {
			troubles = append(troubles, yamldoc.Error{
				File: directory, Severity: yamldoc.SeverityWarning, Rule: "watch",
				Message: "changes in this directory will not be seen: " + strings.TrimSpace(err.Error()),
			})
		}
	}
	return troubles
}
