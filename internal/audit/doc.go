// Package audit keeps the record: one line of JSON for everything that happened, in order, in a file that
// only grows. It is the one place where a record is written.
//
// A line of <state>/audit/00000001.jsonl is an events.Event with a number (`seq`, from 1, without gaps),
// the version of the format (`v`), a name that is unique everywhere (`id`, a UUID of version 7), and the
// SHA-256 of the line before it (`prev`, hexadecimal, over the bytes without the newline, empty in the
// first line). So the chain can be checked by hand:
//
//	sed -n 41p 00000001.jsonl | tr -d '\n' | sha256sum   # is "prev" of line 42
//
// The promise is that of events.Recorder. A durable event is on disk (fsync) when Record returns; another
// one has been handed to the kernel, which keeps it if this process is killed, though not if the machine
// loses power in the next seconds. Several processes share one record: each append takes a lock (flock on
// <state>/audit/lock), looks at the end of the file, writes and lets go. A last line without an end was
// torn by a crash: it is moved aside and that is recorded.
//
// After a write or an fsync that the disk refused, nobody knows what the file holds, and trying again may
// report a success that never reaches the disk ("fsyncgate", PostgreSQL 2018). The Log is dead then, and
// every Record says so.
//
// A Feed lets several readers follow it by number, each from a Cursor of its own.
//
// The lock file says up to which line the record was on disk (lasthash.go), so that lines which are cut off
// its end are told, by Read and by the next that is recorded.
//
// Not here: nothing in this package tells whether somebody rewrote the whole chain, and that line with it.
// That needs a signed head outside.
package audit
