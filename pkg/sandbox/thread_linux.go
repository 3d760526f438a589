//go:build amd64 || arm64

package sandbox

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// onThread calls f on a thread that is its own as long as f runs, and is not the main thread of the program.
//
// The kernel ties two things to the thread that starts a process, not to the program. One is the death signal: the process
// would be killed when Go retires the thread. The other is the list of children that the process appears in, which tells
// the first process of a call, and what it slips in beside itself (clone(2), CLONE_PARENT), from what calls left behind:
// those always become children of the main thread (find_alive_thread in the kernel's kernel/exit.c).
func onThread(f func(thread int)) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := unix.Gettid()
	if thread != unix.Getpid() {
		f(thread)
		return
	}
	// Another goroutine cannot get the main thread while this one holds it.
	done := make(chan struct{})
	go func() {
		defer close(done)
		onThread(f)
	}()
	<-done
}
