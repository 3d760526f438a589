// Package store is the SQLite database in the state directory that several processes share. It holds the
// questions that wait for a person, and what was allowed for a session.
//
// Every process opens the database for itself. A transaction takes the write lock when it begins
// (_txlock=immediate), waits for it in turns of five seconds (busy_timeout), and is on disk when it has
// ended (WAL with synchronous FULL), so that kill -9 and a power cut lose nothing that was said to be kept.
// Times are kept in milliseconds since 1970.
//
// An approval that waits belongs to the process that asked. Nothing is ever carried out from here: an
// answer is a row, the process that asked reads it, and where that process is gone, nobody does.
package store
