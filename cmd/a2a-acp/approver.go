package main

import (
	"fmt"
	"os"
	"os/user"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/person"
)

// checkPerson tells whether a person has started this, as far as that can be shown, for an act that lets something happen.
func checkPerson() error {
	found, err := app.Caller()
	if err != nil {
		return fail(exit.Usage, err)
	}
	if err := found.Err(); err != nil {
		return fail(exit.Denied, err)
	}
	return nil
}

// checkAtTerminal is checkPerson for an act whose question is to be seen: standard input has to be a terminal as well. --yes
// saves the question, not the terminal.
func checkAtTerminal(env *environment, act string) error {
	if err := checkPerson(); err != nil {
		return err
	}
	if !isTerminal(env.stdin) {
		return fail(exit.Approval, fmt.Errorf("%s needs a terminal, so that it is a person who does it", act))
	}
	return nil
}

// checkToTighten is checkPerson for an act that says no, or takes something back.
func checkToTighten() error {
	if err := person.Look().ErrToTighten(); err != nil {
		return fail(exit.Denied, err)
	}
	return nil
}

// approver says for the record who answers here, and by which way: `cli maria on /dev/pts/3`.
func (e *environment) approver(way string) string {
	words := []string{way}
	if u, err := user.Current(); err == nil {
		words = append(words, u.Username)
	} else {
		words = append(words, fmt.Sprintf("user %d", os.Getuid()))
	}
	if isTerminal(e.stdin) {
		if name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", e.stdin.Fd())); err == nil {
			words = append(words, "on", name)
		}
	}
	return strings.Join(words, " ")
}
