// Package scaffold turns a command line with {{tags}} into an entry of a tools file. Make reports what it
// found out about the command; Insert adds the entry without changing any other byte of the file.
package scaffold
