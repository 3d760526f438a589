// Package state finds and guards the one directory in which the program keeps what must outlive it: the
// record, and what later joins it.
//
// Whoever can write there can rewrite the record, and whoever can read there reads what people and agents
// did. So the directory belongs to the user who runs the program and opens to nobody else, or it is
// refused.
package state
