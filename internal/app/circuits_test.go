package app

import (
	"path/filepath"
	"testing"
	"time"
)

// TestCircuitReset guards that what one process resets another sees, and that this names the one circuit.
func TestCircuitReset(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "state") // which is made, and ours alone
	before := time.Now()
	o := Options{Getenv: func(name string) string { return map[string]string{"A2A_STATE_DIR": dir}[name] }}
	if err := ResetCircuit(o, "shop"); err != nil {
		t.Fatal(err)
	}
	other := &App{state: dir}
	if at := other.circuitReset("shop"); at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
		t.Errorf("it was reset at %s", at)
	}
	if at := other.circuitReset("another"); !at.IsZero() {
		t.Errorf("another was reset at %s", at)
	}
	if at := (&App{}).circuitReset("shop"); !at.IsZero() {
		t.Errorf("without a state directory: %s", at)
	}
}
