package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTake has one at a time hold the lock, and nobody wait for ever.
func TestTake(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	holder, waiter := open(), open()
	if err := Take(t.Context(), holder); err != nil {
		t.Fatal(err)
	}
	left, leave := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	leave(enough)
	if err := Take(left, waiter); !errors.Is(err, enough) || !strings.Contains(err.Error(), path+" is locked by another program") {
		t.Errorf("who leaves: %v", err)
	}
	if err := TakeWithin(t.Context(), waiter, Shared, 0); err == nil || !strings.Contains(err.Error(), "`fuser "+path+"` finds it") {
		t.Errorf("after the longest time: %v", err)
	}
	taken := make(chan error)
	go func() { taken <- Take(t.Context(), waiter) }()
	select {
	case err := <-taken:
		t.Fatalf("two have the lock: %v", err)
	case <-time.After(10 * every):
	}
	if err := Release(holder); err != nil {
		t.Error(err)
	}
	if err := <-taken; err != nil {
		t.Error(err)
	}
	closed := open()
	closed.Close()
	if err := Take(t.Context(), closed); err == nil {
		t.Error("a closed file was locked")
	}
}
