// Package tasklog keeps what happens to tasks, in order and for good.
//
// A task is a log that only grows. Each event has the next number of its task (Seq, from 1), and the task's
// state is that which its last event leads to; nothing else is kept of it. states.go says what the states are
// and which event leads where, and the database refuses any other step, whoever writes it. What an event holds
// is the business of the door whose task it is (A2A, MCP): here it is bytes.
//
// Append returns when the events are on disk. Whoever appends at the same time shares a transaction, since the
// disk is what takes long, and SQLite is told once of all that happens to a task in it. Followers see an event after
// that, never before, so that what somebody has seen is still there after a crash, under the same number.
//
// The log is a SQLite file of its own in the state directory: its writer nearly always writes, and the questions
// that wait for people (internal/store) must not stand in line behind it. Several processes may use it. What
// another one appends is noticed within a quarter of a second.
//
// A Log has one goroutine, which writes, and looks for what others have written. It ends with Close.
package tasklog
