package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/person"
)

// CheckPerson tells whether a person has started this, as far as that can be shown, for an act that lets
// something happen.
func CheckPerson() error {
	_, err := caller()
	return err
}

func caller() (person.Status, error) {
	c, err := person.Find(dirs.System)
	if err != nil {
		return c, Fail(exit.Usage, err)
	}
	if err := c.Err(); err != nil {
		return c, Fail(exit.Denied, err)
	}
	return c, nil
}

// Confirm is checkPerson, and asks for what an agent cannot give where root wants that. It comes last, when
// the person has seen what it is for, and right before it counts.
func Confirm(ctx context.Context, env *Environment) error {
	c, err := caller()
	if err != nil {
		return err
	}
	return prove(ctx, env, c)
}

// WantsProof reports whether Confirm asks for something at the terminal.
func WantsProof() bool {
	c, err := person.Find(dirs.System)
	return err == nil && len(c.Confirm) > 0
}

// prove asks for what root wants beside an answer.
func prove(ctx context.Context, env *Environment, c person.Status) error {
	if len(c.Confirm) == 0 {
		return nil
	}
	program := c.Confirm[0]
	words := slices.Clone(c.Confirm[1:])
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "{pid}", strconv.Itoa(os.Getpid()))
	}
	cmd := exec.CommandContext(ctx, program, words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Stdin, env.Stderr, env.Stderr
	if terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil { // standard input may have been data
		defer terminal.Close()
		cmd.Stdin = terminal
	}
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TERM=" + env.Getenv("TERM"),
		"LANG=" + env.Getenv("LANG")}
	if err := cmd.Run(); err != nil {
		return Fail(exit.Denied, fmt.Errorf("not confirmed, as %s wants it: %s: %w",
			filepath.Join(dirs.System, "a2a-acp.yaml"), program, err))
	}
	env.confirmed = filepath.Base(program)
	return nil
}

// CheckAtTerminal is checkPerson for an act whose question is to be seen: standard input has to be a
// terminal as well. --yes saves the question, not the terminal.
func CheckAtTerminal(env *Environment, act string) error {
	if err := CheckPerson(); err != nil {
		return err
	}
	if !IsTerminal(env.Stdin) {
		return Fail(exit.Approval, fmt.Errorf("%s needs a terminal: only a person may do it", act))
	}
	return nil
}

// CheckToTighten is checkPerson for an act that says no, or takes something back.
func CheckToTighten() error {
	if err := person.Look().ErrToTighten(); err != nil {
		return Fail(exit.Denied, err)
	}
	return nil
}

// Approver says for the record who answers here, and by which way: `cli maria on /dev/pts/3 below bash,
// tmux: server, systemd`.
func (e *Environment) Approver(way string) string {
	words := []string{way}
	if u, err := user.Current(); err == nil {
		words = append(words, u.Username)
	} else {
		words = append(words, fmt.Sprintf("user %d", os.Getuid()))
	}
	if IsTerminal(e.Stdin) {
		if name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", e.Stdin.Fd())); err == nil {
			words = append(words, "on", name)
		}
	}
	// Where descent shows no agent, it is for people to look at.
	if line := slices.Compact(person.Look().Line); len(line) > 0 {
		words = append(words, "below", display.Line(strings.Join(line, ", ")))
	}
	if e.confirmed != "" {
		words = append(words, "confirmed by", e.confirmed)
	}
	return strings.Join(words, " ")
}
