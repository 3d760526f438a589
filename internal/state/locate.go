package state

import (
	"fmt"
	"path/filepath"
)

// name is the program's directory below a directory that all programs share.
const name = "a2a-acp"

// Locate says where the state directory lies, without touching the disk: $A2A_STATE_DIR, else
// $XDG_STATE_HOME/a2a-acp, else ~/.local/state/a2a-acp. The path is absolute and clean. A relative
// A2A_STATE_DIR is an error, since it would mean another record in every directory; a relative
// XDG_STATE_HOME is passed over, as the XDG Base Directory Specification wants it.
func Locate(getenv func(string) string) (string, error) {
	if dir := getenv("A2A_STATE_DIR"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("A2A_STATE_DIR is %q; set it to an absolute path", dir)
		}
		return filepath.Clean(dir), nil
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", name), nil
	}
	return "", fmt.Errorf("there is no place for the state directory: " +
		"neither A2A_STATE_DIR nor XDG_STATE_HOME nor HOME is set to an absolute path; set one of them")
}
