package unixsocket

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestNowhereToListen(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	long := filepath.Join(base, strings.Repeat("d", longestPath))
	if _, err := makeSocketDir([]string{long, filepath.Join(base, "none")}); err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
		t.Errorf("got %v, want the cure", err)
	}
}
