//go:build amd64 || arm64

package sandbox

import (
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// onThread calls f on a thread that is its own as long as f runs, and is not the main thread of the program.
//
// The kernel ties two things to the thread that starts a process, not to the program. One is the death
// signal: the process would be killed when Go retires the thread. The other is the list of children that
// the process appears in, which tells the first process of a call, and what it slips in beside itself
// (clone(2), CLONE_PARENT), from what calls left behind: those always become children of the main thread
// (find_alive_thread in the kernel's kernel/exit.c).
func onThread(f func(thread int)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := unix.Gettid()
	if thread != unix.Getpid() {
		f(thread)
		return
	}
	// Another goroutine cannot get the main thread while this one holds it. It costs some 60 µs, two
	// threads being woken for it.
	done := make(chan struct{})
	go func() {
		defer close(done)
		onThread(f)
	}()
	<-done
}

// idleThread holds the main thread, so that no call finds itself on it. With two processors a program has
// few threads, and one call in four would.
type idleThread struct {
	busy   atomic.Bool
	leave  chan struct{}
	leaves sync.WaitGroup
}

func newSquatter() *idleThread { return &idleThread{leave: make(chan struct{})} }

// settle tries to take the main thread, if the caller is on it. The caller may be on another one when this
// returns, or not: the scheduler is asked, and need not listen.
func (s *idleThread) settle() {
	if unix.Gettid() != unix.Getpid() || !s.busy.CompareAndSwap(false, true) {
		return
	}
	// The goroutine made last is the next to run here.
	s.leaves.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if unix.Gettid() != unix.Getpid() {
			s.busy.Store(false) // somebody else runs it; the next call tries again
			return
		}
		<-s.leave
	})
	runtime.Gosched()
}

func (s *idleThread) close() {
	close(s.leave)
	s.leaves.Wait()
}
