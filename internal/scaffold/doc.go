// Package scaffold makes an entry of a tools file out of one command line with {{tags}}, says what it found
// out about it, and puts it into a file without touching a byte of what stands there.
package scaffold
