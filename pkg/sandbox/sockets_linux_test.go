//go:build amd64 || arm64

package sandbox

import (
	"slices"
	"testing"
)

// TestSocketPlaces checks that every directory of the root is shown empty to a call that can connect to
// sockets, unless it is the system's, and nothing that a call needs is.
func TestSocketPlaces(t *testing.T) {
	t.Parallel()
	places := socketPlaces()
	for _, needed := range append([]string{"/dev", "/tmp"}, systemPaths...) {
		if !within(needed, "/var") && isBelow(needed, places) {
			t.Errorf("%s is needed, and would be shown empty", needed)
		}
	}
	for _, dir := range directoriesIn("/") {
		if !slices.Contains(append([]string{"/dev", "/tmp"}, systemPaths...), dir) && !slices.Contains(places, dir) &&
			!slices.ContainsFunc(systemPaths, func(path string) bool { return within(path, dir) }) {
			t.Errorf("%s would be seen, with the sockets in it", dir)
		}
	}
}
