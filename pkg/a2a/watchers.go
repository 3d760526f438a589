package a2a

import "sync"

// watchers count the streams of many tasks, by their kind and whose they are. The zero value is ready to use.
type watchers struct {
	mu  sync.Mutex
	all [2]int
	by  [2]map[string]int
}

// enter counts one more. It returns an error where there are too many.
func (w *watchers) enter(kind int, who string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.all[kind] >= mostWatches:
		return failf(errStopping, "there are %d such streams already", mostWatches)
	case w.by[kind][who] >= mostWatchBy:
		return failf(errBusy, "you have %d such streams already", mostWatchBy)
	case w.by[kind] == nil:
		w.by[kind] = map[string]int{}
	}
	w.all[kind]++
	w.by[kind][who]++
	return nil
}

func (w *watchers) leave(kind int, who string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all[kind]--
	if w.by[kind][who]--; w.by[kind][who] == 0 {
		delete(w.by[kind], who)
	}
}

func (w *watchers) count(kind int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[kind]
}
