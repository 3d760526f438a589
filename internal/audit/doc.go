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
// The record is written to one file at a time, a segment (segment.go): a new one begins with each day, and at
// 64 MiB. Segments that are older than the record is kept are removed, which is on record (retire.go).
//
// The lock file says up to which line the record was on disk (lasthash.go), so that lines which are cut off
// its end are told, by Read and by the next that opens it. It says in which segment that is, too.
//
// Each line is a leaf of a Merkle tree (RFC 6962), which follows the record: it is brought up to date when its
// root is signed (advance.go, signing.go). Such a checkpoint that was kept elsewhere (outside.go) shows that the
// record is the one of that day. Without one, Verify can only say that it is consistent: whoever can write the
// directory has the key as well. Open looks at the end, and at what came since the last checkpoint; what stands
// before is read again once a day by processes that live long (scrub.go), which mark the record (mark.go) where it
// is damaged. A record that is damaged is not written on until somebody accepts it (Accept); then those go on that had
// stopped (revive.go).
package audit
