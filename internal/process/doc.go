// Package process names processes to other processes, so that what one of them has left can be told from what
// it still works on.
package process
