// Package database opens the SQLite databases of the state directory, which several processes share.
//
// Every process opens one for itself. A transaction takes the write lock when it begins (_txlock=immediate),
// waits for it in turns of five seconds (busy_timeout), and is on disk when it has ended (WAL with synchronous
// FULL), so that kill -9 and a power cut lose nothing that was said to be kept. A database that was made
// elsewhere is set aside before anything of it is read.
package database
