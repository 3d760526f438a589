//go:build !linux

package database

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// identityOf names a file by its number.
func identityOf(path string) (string, error) {
	var is unix.Stat_t
	if err := unix.Lstat(path, &is); err != nil {
		return "", &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	return fmt.Sprint(is.Ino), nil
}
