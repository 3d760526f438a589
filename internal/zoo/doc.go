// Package zoo is a command line program for tests that has a flag of every type of pflag, and of some that programs
// define themselves. It prints, as JSON, what it has understood of its words, and does nothing else.
package zoo
