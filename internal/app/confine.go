package app

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
)

// Confined gives the command that starts an agent in the sandbox, under a profile: this program again, so that the agent's
// whole tree has an owner of its own. The agent can run this program, and reach us through the sockets in doors, "" for none.
func Confined(self, doors, profile string, bestEffort bool, agent []string) ([]string, error) {
	program, err := exec.LookPath(agent[0])
	if err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	command := []string{self, "sandbox", "exec", "--profile", profile, "--require", "fs", "--require", "tree"}
	if doors != "" {
		command = append(command, "--socket", doors)
	}
	for _, path := range append(programFiles(program), self) {
		command = append(command, "--allow", path+":ro")
	}
	if bestEffort {
		command = append(command, "--best-effort")
	}
	// Under its real name: the links that lead there are not in the sandbox.
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return append(append(command, "--", program), agent[1:]...), nil
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

// MustConfine tells why an agent must not start as it is asked for; nil when it may.
func MustConfine(set *config.Set, confined, bestEffort bool) error {
	switch {
	case !set.Settings.ConfineRequired:
		return nil
	case !confined:
		return errors.New("the agent is not started: the settings say `confine: required` (a2a-acp.yaml), and this bridge would not confine it; add --confine")
	case bestEffort:
		return errors.New("the agent is not started: the settings say `confine: required` (a2a-acp.yaml), and --best-effort would start it where this machine cannot confine it; leave --best-effort out")
	}
	return nil
}
