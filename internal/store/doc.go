// Package store is the SQLite database in the state directory that several processes share. It holds the
// questions that wait for a person, what was allowed for a session, and how far webhooks are.
//
// Times are kept in milliseconds since 1970.
//
// An approval that waits belongs to the process that asked. Nothing is ever carried out from here: an
// answer is a row, the process that asked reads it, and where that process is gone, nobody does.
package store
