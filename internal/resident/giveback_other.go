//go:build !linux

package resident

// GiveBack does nothing on this system.
func GiveBack() {}
