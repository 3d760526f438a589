//go:build !linux

package cli

import "golang.org/x/sys/unix"

// redirect makes descriptor to the same as from.
func redirect(from, to int) error { return unix.Dup2(from, to) }
