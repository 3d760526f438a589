// Package state opens the private directory in which the program keeps what must outlive it, such as the
// record.
//
// Whoever can write to the directory can rewrite the record, and whoever can read it sees what people and
// agents did. So a directory that does not belong to the user who runs the program, or that others can
// open, is refused.
package state
