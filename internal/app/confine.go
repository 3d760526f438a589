package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/profile"
)

// confined gives the command that starts an agent in the sandbox: this program again, so that the agent's whole tree has an
// owner of its own. The agent can reach us through the sockets in doors, and run this program to do so.
func confined(self, doors string, o BridgeOptions) ([]string, error) {
	program, err := exec.LookPath(o.Command[0])
	if err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	command := []string{self, "sandbox", "exec", "--profile", o.Confine, "--socket", doors, "--require", "fs", "--require", "tree"}
	for _, path := range append(programFiles(program), self) {
		command = append(command, "--allow", path+":ro")
	}
	if err := makeState(o); err != nil {
		return nil, err
	}
	if o.BestEffort {
		command = append(command, "--best-effort")
	}
	// Under its real name: the links that lead there are not in the sandbox.
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return append(append(command, "--", program), o.Command[1:]...), nil
}

// programFiles lists what has to be readable for a program to start: itself, and where it is one of npm's packages, the
// packages that it was installed with.
func programFiles(program string) []string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return []string{program}
	}
	const packages = "/node_modules/"
	if i := strings.Index(real, packages); i >= 0 {
		return []string{real[:i+len(packages)-1]}
	}
	return []string{real}
}

// makeState makes the directories that an agent keeps its own state in, as it would at its first start: what is not there
// cannot be granted.
func makeState(o BridgeOptions) error {
	p, err := profile.Named(o.Confine)
	if err != nil {
		return err
	}
	for _, path := range p.Paths(o.Dir, o.Getenv) {
		if path.ReadOnly || filepath.Ext(strings.TrimPrefix(filepath.Base(path.Path), ".")) != "" {
			continue // not its own, or a file
		}
		if err := os.MkdirAll(path.Path, 0o700); err != nil {
			return fmt.Errorf("make the agent's own directory: %w", err)
		}
	}
	return nil
}
