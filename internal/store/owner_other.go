//go:build !linux

package store

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// An owner names a process by its number alone, which may come again: then a question stands until it
// expires.

func thisProcess() string { return strconv.Itoa(os.Getpid()) }

// lives reports whether a process has not ended.
func lives(owner string) bool {
	pid, err := strconv.Atoi(owner)
	if err != nil || pid <= 0 {
		return false
	}
	err = unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
