//go:build !linux || !(amd64 || arm64)

package sandbox

import "syscall"

// Signal does nothing: no call ever runs.
func (h *Host) Signal(syscall.Signal) {}

// Heeds is false: no call ever runs.
func (h *Host) Heeds(syscall.Signal) bool { return false }
