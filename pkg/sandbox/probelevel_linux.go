//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// probeLevel finds the highest level, not above most, that really works here: by running something on each,
// from the top, the same way as any call, and seeing what it can do. Asking the kernel would not do. On
// Ubuntu for instance a user namespace can be made, and then nothing can be done in it.
func (h *Host) probeLevel(most Level) {
	if most == "" {
		most = LevelFullCgroup
	}
	if !most.AtLeast(LevelFullCgroup) && h.groups != nil {
		h.groups.memory, h.capability.totalMemory = false, false
	}
	var missing []string
	for _, level := range []Level{LevelFull, LevelNoProc, LevelLandlock} {
		if !most.AtLeast(level) {
			continue
		}
		if err := h.try(level); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", level, err))
			continue
		}
		h.capability.level = level
		break
	}
	if h.capability.level == LevelFull && h.capability.totalMemory && most.AtLeast(LevelFullCgroup) {
		h.capability.level = LevelFullCgroup
	}
	if !most.AtLeast(LevelLandlock) {
		missing = append(missing, "no more than "+string(most)+" was asked for")
	}
	h.capability.why = strings.Join(missing, "; ")
}

// probe tries to do what no call may do, with nothing but what the shell has, and prints what works.
const probe = `
: >"$CANARY" && echo files
if [ -n "$BASH_VERSION" ]; then
	{ : </dev/tcp/127.0.0.1/1; } 2>"$TMPDIR/probe"
	read -r line <"$TMPDIR/probe"
	case $line in *"not permitted"*) ;; *) echo network "$line" ;; esac
fi
[ $$ = 2 ] || echo processes
echo done`

// patienceOfProbe is how long a probe may take on a machine that is busy with other things.
const patienceOfProbe = 30 * time.Second

// try runs the probe on a level, and says what is wrong with it there.
func (h *Host) try(level Level) error {
	if h.capability.landlock == 0 {
		_, err := landlockABI()
		return err
	}
	if level.hasNamespaces() && h.capability.landlock < 3 {
		return fmt.Errorf("version %d of Landlock cannot keep a file from being truncated (Linux 6.2 has version 3)",
			h.capability.landlock)
	}
	shell, err := findShell()
	if err != nil {
		return err
	}
	canary := filepath.Join(h.scratch.path, "canary")
	capability := h.capability
	capability.level = level
	limits := tool.DefaultLimits()
	limits.Timeout = patienceOfProbe
	p, err := plan(capability, Profile{Dir: "/", Limits: limits,
		Environment: map[string]string{"CANARY": canary, "LC_ALL": "C"}}, capability.user)
	if err != nil {
		return err
	}
	outcome, err := h.Run(context.Background(), p, Process{Argv: []string{shell, "-c", probe}})
	if err != nil {
		return err
	}
	works := strings.Split(strings.TrimSpace(string(outcome.Stdout)), "\n")
	if works[len(works)-1] != "done" {
		return fmt.Errorf("%s ended with %d: %s", shell, outcome.ExitCode,
			strings.TrimSpace(string(outcome.Stderr)))
	}
	for _, work := range works[:len(works)-1] {
		if work == "processes" && !level.hasNamespaces() {
			continue // in a process namespace of its own the command has the number 2, and sees no other's
		}
		return fmt.Errorf("it was tried, and a call could still reach beyond: %s", work)
	}
	if _, err := os.Lstat(canary); err == nil {
		return errors.New("it was tried, and a call could still make a file outside")
	}
	return nil
}

// findShell finds a shell to try things with.
func findShell() (string, error) {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh"} {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no shell to try it with")
}
