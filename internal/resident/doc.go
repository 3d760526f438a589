// Package resident keeps what a process that waits holds of this machine's memory small.
package resident
