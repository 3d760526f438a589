//go:build !linux

package main

import (
	"errors"
	"os"
)

func newPTY() (master, slave *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}
