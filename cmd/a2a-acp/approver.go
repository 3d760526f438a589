package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
)

// errAgentAnswers is told to an agent that would answer in a person's place.
var errAgentAnswers = errors.New("this was started by an agent, which cannot answer in a person's place")

// checkPerson tells whether a person may be believed to sit here: nothing above us is a bridge, and, for what lets something
// happen, standard input is a terminal. --yes saves the question, not the terminal.
func checkPerson(env *environment, loosens bool) error {
	switch {
	case supervisor.DescendsFromBridge(os.Getpid()):
		return fail(exit.Denied, errAgentAnswers)
	case loosens && !isTerminal(env.stdin):
		return fail(exit.Approval, errors.New("approving needs a terminal, so that it is a person who does it; denying does not"))
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
