package sandbox

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Profile says what a call may do, and where. It asks; a [Plan] says what of it is enforced.
type Profile struct {
	// Dir is the directory that the call starts in, or below which it gets one of its own. Required,
	// absolute.
	Dir string
	// TempIsolation starts the call in a fresh directory below Dir, which is removed with all it holds when
	// the call ends. Where Dir cannot be written to, the call starts in its private temporary directory.
	TempIsolation bool
	// Environment is added to PATH, HOME, TMPDIR, LANG and SHELL, and wins over them. The program's own
	// environment is not inherited.
	Environment  map[string]string
	Limits       tool.Limits
	AllowedPaths []tool.AllowedPath
	// Own are those of AllowedPaths that hold the program's own state. In them nothing is protected: it
	// rewrites its settings, and what it writes there counts for itself.
	Own []string
	// Network is off unless it is on.
	Network tool.Network
	// Isolated gives the call network interfaces of its own, none but a loopback that is down, beside what
	// Network means. It costs half a start more, and is for those who want two walls.
	Isolated bool
	// Sockets are UNIX sockets that the call may connect to, or directories of them. There are none but
	// these: the network includes no UNIX socket, since behind one there may be a daemon with more rights
	// than the call (docker, D-Bus).
	Sockets []string
	// Commands are the program files that may start, absolute paths or names to be found in PATH. Nil means
	// all. It is a promise about files, not about code: a listed interpreter runs any code, and so do the
	// shell's own commands.
	Commands []string
	// Require lists what must be enforced for the call to run at all, unless BestEffort says otherwise.
	Require    []Property
	BestEffort bool
	// Terminal is set for a call that a person works in: it stays in this program's process group.
	Terminal bool
	// Pty lets the call make pseudo-terminals of its own (pty(7)), which script, tmux and agents' shells
	// need. It takes namespaces; on lower levels there are none.
	Pty bool
}

// check finds what no machine could carry out.
func (p *Profile) check() error {
	if !filepath.IsAbs(p.Dir) || strings.ContainsRune(p.Dir, 0) {
		return fmt.Errorf("start directory %q: want an absolute path", p.Dir)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Environment)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("environment variable %q: a name is not empty and has no '=' and no NUL (environ(7))",
				name)
		}
		if strings.ContainsRune(p.Environment[name], 0) {
			return fmt.Errorf("environment variable %s: a value has no NUL (environ(7))", name)
		}
	}
	for _, path := range p.Sockets {
		if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
			return fmt.Errorf("socket %q: want an absolute path", path)
		}
	}
	for _, allowed := range p.AllowedPaths {
		if !filepath.IsAbs(allowed.Path) || strings.ContainsRune(allowed.Path, 0) {
			return fmt.Errorf("allowed path %q: want an absolute path", allowed.Path)
		}
	}
	for _, property := range p.Require {
		if !slices.Contains(Properties(), property) {
			return fmt.Errorf("require %q: want some of %v", property, Properties())
		}
	}
	return checkLimits(p.Limits)
}

// grants reports whether a directory lies in what the profile allows.
func (p *Profile) grants(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && slices.ContainsFunc(p.AllowedPaths, func(allowed tool.AllowedPath) bool {
		at, err := filepath.EvalSymlinks(allowed.Path)
		return err == nil && within(real, at)
	})
}

func checkLimits(l tool.Limits) error {
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"timeout", int64(l.Timeout)}, {"cpu", int64(l.CPU)}, {"memory", l.Memory}, {"file size", l.FileSize},
		{"output", l.Output}, {"open files", int64(l.OpenFiles)}, {"processes", int64(l.Processes)},
		{"temporary files", l.TempSize}, {"address space", l.Addresses},
	} {
		if limit.value < 0 {
			return fmt.Errorf("limit on %s: want a positive number, or 0 for none; got %d", limit.name, limit.value)
		}
	}
	if l.CPU%time.Second != 0 {
		return fmt.Errorf("limit on cpu: want whole seconds (setrlimit(2), RLIMIT_CPU); got %s", l.CPU)
	}
	return nil
}
