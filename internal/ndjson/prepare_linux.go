package ndjson

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is what a pipe is made to hold: a whole ordinary frame, and as much as Linux grants without
// privilege (/proc/sys/fs/pipe-max-size). The kernel takes the memory only while there is something in the
// pipe.
const pipeSize = 1 << 20

// Prepare makes a stream of ours fit for relaying, and should be called on all of them, at both ends of the
// relay. It may not be enough to call it on some: see below. It never fails; a stream that cannot be
// changed works as it is.
//
// The stream blocks from then on: deadlines have no effect on it, and Close does not interrupt what waits
// in it. Standard input and output block already, and where only some of a Go program's streams are left to
// its poller, all its processors can wait in system calls while nobody looks at the poller, until the
// runtime's monitor does so ten milliseconds later. On two processors, a round trip of a frame of 1 MB was
// measured at 18 ms in that state, and at 2.5 ms with blocking streams.
//
// A pipe is made to hold a mebibyte (F_SETPIPE_SZ, fcntl(2)), so that whoever writes a frame need not wait
// until this one has been read, checked and passed on: that took the same round trip to 1.5 ms, and the
// throughput from 0.7 to 1.1 GB/s.
func Prepare(stream *os.File) {
	_, _ = unix.FcntlInt(stream.Fd(), unix.F_SETPIPE_SZ, pipeSize) // Fd makes it block
}
