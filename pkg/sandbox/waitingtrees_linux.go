//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// waitingTrees are the trees that wait for calls. One is made when a call has ended, some time later, and
// while a processor has nothing else to do: no call is to be the slower for it.
type waitingTrees struct {
	most atomic.Int32 // that are kept; 0: none is made
	make func(Plan) (*waitingTree, error)
	drop func(*waitingTree)
	idle func() bool // a processor has nothing to do

	mu      sync.Mutex
	ready   []*waitingTree // the one made last at the end; no two of a shape
	wanted  []wantedTree
	useless map[string]time.Time // shapes whose tree no call could have: not made again before
	closed  bool
	age     uint64 // how often all were forgotten

	wake   chan struct{} // of the keeper; nil where there is none yet
	quit   chan struct{}
	keeper sync.WaitGroup
	ending sync.WaitGroup // of trees that are on their way out

	table   int    // /proc/self/mounts, which tells of changes (proc_pid_mounts(5))
	changes uint64 // so many
}

// wantedTree is a tree that is to be made.
type wantedTree struct {
	plan         Plan
	from, before time.Time
}

const (
	// answerTime is left to whoever called to be answered before the next tree is made, and at least between two
	// looks for a processor that has nothing to do.
	answerTime = time.Millisecond
	// wantedFor is how long a processor is looked for.
	wantedFor = time.Second
	// waitingFor is how long a tree waits for a call, and how long none is made of a shape after one that no
	// call could have.
	waitingFor = 10 * time.Second
)

// KeepAhead keeps up to so many process trees ready for calls like those that there were, until Close. Such a
// call starts sooner; all else about it is as if there had been none. Each is ended when it was
// not used for ten seconds. It is for programs that live on behind a call, and is called once.
func (h *Host) KeepAhead(most int) error {
	t := &h.waiting
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errClosed
	}
	// Not os.Open: the runtime would have a thread woken for each change.
	table, err := unix.Open("/proc/self/mounts", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("watch what is mounted: open /proc/self/mounts: %w", err)
	}
	if t.idle == nil {
		t.idle = h.hasIdleProcessor
	}
	t.make, t.drop, t.table, t.useless = h.makeWaiting, h.endWaiting, table, map[string]time.Time{}
	t.most.Store(int32(most))
	return nil
}

// hasIdleProcessor reports whether fewer tasks run than there are processors, this one not counted.
func (h *Host) hasIdleProcessor() bool {
	running, _, err := h.runnable()
	return err == nil && running <= uint64(runtime.NumCPU())
}

// mountChanges counts how often something was mounted, or unmounted, in our namespace since the Host was
// opened, as far as anybody has asked.
func (t *waitingTrees) mountChanges() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.countChanges()
}

// countChanges is mountChanges with mu held.
func (t *waitingTrees) countChanges() uint64 {
	if hasChanged(t.table) {
		t.changes++
	}
	return t.changes
}

// take returns the tree of a shape, and nil where there is none.
func (t *waitingTrees) take(shape string) *waitingTree {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.ready, func(w *waitingTree) bool { return w.plan.shape == shape })
	if i < 0 {
		return nil
	}
	w := t.ready[i]
	t.ready = slices.Delete(t.ready, i, i+1)
	return w
}

// want has a tree made for calls of a plan, soon, unless there is one.
func (t *waitingTrees) want(plan Plan) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.closed || now.Before(t.useless[plan.shape]) ||
		slices.ContainsFunc(t.ready, func(w *waitingTree) bool { return w.plan.shape == plan.shape }) ||
		slices.ContainsFunc(t.wanted, func(w wantedTree) bool { return w.plan.shape == plan.shape }) {
		return
	}
	t.wanted = append(t.wanted, wantedTree{plan.bare(), now.Add(answerTime), now.Add(wantedFor)})
	if t.wake == nil {
		t.wake, t.quit = make(chan struct{}, 1), make(chan struct{})
		t.keeper.Go(func() { onThread(func(int) { t.keep() }) }) // until end
	}
	time.AfterFunc(answerTime, t.awaken)
}

func (t *waitingTrees) awaken() {
	select {
	case t.wake <- struct{}{}:
	default: // it is awake
	}
}

// keep makes trees and ends them. It does so on one thread, which outlives them: see launch.start.
func (t *waitingTrees) keep() {
	for {
		var timer <-chan time.Time
		if next, ok := t.tend(time.Now()); ok {
			timer = time.After(next)
		}
		select {
		case <-t.quit:
			return
		case <-t.wake:
		case <-timer:
		}
	}
}

// tend ends what has waited for long enough, or that no call could have since something was mounted or unmounted
// (it would keep a disk busy), makes one tree that is wanted, and tells whether to look again, and when.
func (t *waitingTrees) tend(now time.Time) (next time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	changes := t.countChanges()
	t.end(func(w *waitingTree) bool { return !now.Before(w.until) || w.mounts != changes })
	maps.DeleteFunc(t.useless, func(_ string, until time.Time) bool { return !now.Before(until) })
	t.wanted = slices.DeleteFunc(t.wanted, func(w wantedTree) bool { return !now.Before(w.before) })
	if len(t.wanted) > 0 && !now.Before(t.wanted[0].from) && t.idle() {
		plan, age := t.wanted[0].plan, t.age
		t.mu.Unlock()
		w, err := t.make(plan)
		t.mu.Lock()
		t.wanted = slices.DeleteFunc(t.wanted, func(w wantedTree) bool { return w.plan.shape == plan.shape })
		t.put(plan.shape, w, err)
		t.end(func(*waitingTree) bool { return age != t.age })
	}
	switch {
	case len(t.wanted) > 0: // the longer no processor is free, the more seldom it is looked for
		return max(answerTime, now.Sub(t.wanted[0].from)), true
	case len(t.ready) > 0: // the one made first is the first to end, unless something is unmounted
		return min(max(time.Until(t.ready[0].until), answerTime), waitingFor/2), true
	}
	return 0, false
}

// put keeps a tree for a call. Of too many the one made first is ended.
func (t *waitingTrees) put(shape string, w *waitingTree, err error) {
	if err != nil {
		t.useless[shape] = time.Now().Add(waitingFor)
		return
	}
	w.until = time.Now().Add(waitingFor)
	t.ready = append(t.ready, w)
	over := len(t.ready) - int(t.most.Load())
	t.end(func(*waitingTree) bool { over--; return over >= 0 || t.closed })
}

// end ends the trees that are to be ended. Called with mu held.
func (t *waitingTrees) end(which func(*waitingTree) bool) {
	t.ready = slices.DeleteFunc(t.ready, func(w *waitingTree) bool {
		ends := which(w)
		if ends {
			t.ending.Go(func() { t.drop(w) }) // close waits
		}
		return ends
	})
}

// discard ends a tree that a call of its shape could not have. It may be the same with the next.
func (t *waitingTrees) discard(w *waitingTree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.useless[w.plan.shape] = time.Now().Add(waitingFor)
	t.ending.Go(func() { t.drop(w) }) // close waits
}

// giveWay ends all trees, for a call that there is no room for beside them, and reports whether there were any.
// There can be only so many processes, and namespaces, of a user.
func (t *waitingTrees) giveWay() bool {
	t.mu.Lock()
	all := t.ready
	t.ready = nil
	t.mu.Unlock()
	for _, w := range all {
		t.drop(w)
	}
	return len(all) > 0
}

// forget ends all trees, and makes none that is wanted.
func (t *waitingTrees) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wanted, t.age = nil, t.age+1
	t.end(func(*waitingTree) bool { return true })
}

// shut has no tree wait any more, nor be made.
func (t *waitingTrees) shut() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.forget()
}

// close returns when nothing is left of any tree. There must be no call that has one.
func (t *waitingTrees) close() {
	if t.wake != nil {
		close(t.quit)
	}
	t.keeper.Wait()
	t.ending.Wait()
	if t.most.Load() > 0 {
		unix.Close(t.table)
	}
}

// Forget ends the process trees that wait for calls (KeepAhead). None would be given to a call that they
// do not fit; this is for who does not want them to be there, when what is granted has changed.
func (h *Host) Forget() { h.waiting.forget() }

// wantWaiting says that a call has ended, and another one like it may come.
func (h *Host) wantWaiting(c *call, process Process) {
	if process.Stdio == nil && h.canWait(&c.plan) {
		h.waiting.want(c.plan)
	}
}

// takeWaiting returns the tree that waits for such a call, if there is one.
func (h *Host) takeWaiting(c *call, process Process) *waitingTree {
	if process.Stdio != nil || !h.canWait(&c.plan) {
		return nil
	}
	if _, short := commandMessage(process.Argv, c.plan.environ("/tmp", process.Trace)); !short {
		return nil
	}
	return h.waiting.take(c.plan.shape)
}
