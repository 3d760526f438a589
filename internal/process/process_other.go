//go:build !linux

package process

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// An owner names a process by its number alone, which may come again: then a question stands until it
// expires.

// This names this process.
func This() string { return strconv.Itoa(os.Getpid()) }

// Lives reports whether a process has not ended.
func Lives(owner string) bool {
	pid, err := strconv.Atoi(owner)
	if err != nil || pid <= 0 {
		return false
	}
	err = unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
