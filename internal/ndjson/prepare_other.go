//go:build !linux

package ndjson

import "os"

// Prepare makes a stream of ours fit for relaying, and should be called on all of them: it blocks from then
// on. Deadlines have no effect on it, and Close does not interrupt what waits in it. On Linux it also
// enlarges pipes, and the reasons for both stand there.
func Prepare(stream *os.File) { stream.Fd() }
