package cli

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Self returns the name of this program that an editor is told. It is the one on PATH where that is this very
// program: package managers keep it through upgrades, where the file that it leads to has a version in its
// name.
func Self() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if found, err := exec.LookPath(filepath.Base(self)); err == nil && filepath.IsAbs(found) && sameFile(self, found) {
		return found, nil
	}
	return self, nil
}

func sameFile(a, b string) bool {
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	with, err := os.Stat(b)
	return err == nil && os.SameFile(of, with)
}
