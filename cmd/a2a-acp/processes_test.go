package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// house is a home and a workspace, and this program under the names of its commands; see TestMain.
type house struct {
	t                        *testing.T
	base, home, config, work string
}

func newHouse(t *testing.T, commands ...string) *house {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, base: base, home: filepath.Join(base, "home"), work: filepath.Join(base, "work")}
	h.config = filepath.Join(h.home, ".config/a2a-acp")
	h.write(map[string]string{filepath.Join(base, "bin/README"): "", filepath.Join(h.work, "README"): ""})
	for _, name := range append(commands, "a2a-acp") {
		if err := os.Link(self, h.bin(name)); err != nil { // what starts itself again has the name of the file
			t.Skipf("the program cannot be given another name: %v", err)
		}
	}
	return h
}

// bin is where a command lies.
func (h *house) bin(name string) string { return filepath.Join(h.base, "bin", name) }

// write writes files, with their directories.
func (h *house) write(files map[string]string) {
	h.t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}

// command returns a command of the program, in the workspace.
func (h *house) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(h.t.Context(), h.bin("a2a-acp"), args...)
	cmd.Dir = h.work
	cmd.Env = append(os.Environ(), "HOME="+h.home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_RUNTIME_DIR=",
		"GORACE=atexit_sleep_ms=0")
	return cmd
}

// input returns a pipe to a command that is not started yet. It stays open until the command ends.
func (h *house) input(cmd *exec.Cmd) io.Writer {
	h.t.Helper()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	return pipe
}
