package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/state"
)

// An agent may ask the editor to run it once more, with arguments added, so that the person can log in
// (ACP, terminal authentication). The editor runs what it is configured to run, which is us. What the agent
// asked for is kept, so that such a call is recognised, and given to the agent directly, even when standard
// input is no terminal.

// Logins are the arguments that agents add for their logins, in one file of the state directory.
type Logins struct{ file state.Shared }

// LoginsIn names the file of a state directory. It touches nothing.
func LoginsIn(stateDir string) Logins { return Logins{state.SharedFile(stateDir, "logins.json")} }

// argumentLists are the argument lists that logins add, by the hash of an agent's command.
type argumentLists map[string][][]string

// Remember keeps what the agent of the command asked for, and that the command is an agent's, if it asked
// for nothing.
func (l Logins) Remember(command []string, logins [][]string) error {
	known, key := argumentLists{}, commandKey(command)
	return l.file.Change(&known, func() (bool, error) {
		if before, started := known[key]; started && slices.EqualFunc(before, logins, slices.Equal) {
			return false, nil
		}
		if known == nil {
			known = argumentLists{}
		}
		known[key] = logins
		return true, nil
	})
}

// Match reports whether a command is that of an agent with the arguments of one of its logins at the end. A
// login that adds no arguments never matches: it would take every start of the agent for a login. Nor does
// a command that is known for an agent's: it is another agent that says so, who would have it started
// without a bridge.
func (l Logins) Match(command []string) bool {
	known := argumentLists{}
	if l.file.Read(&known) != nil {
		return false
	}
	if _, agents := known[commandKey(command)]; agents {
		return false
	}
	for cut := 1; cut < len(command); cut++ {
		for _, added := range known[commandKey(command[:cut])] {
			if len(added) > 0 && slices.Equal(added, command[cut:]) {
				return true
			}
		}
	}
	return false
}

func commandKey(command []string) string {
	sum := sha256.Sum256([]byte(strings.Join(command, "\x00")))
	return hex.EncodeToString(sum[:])
}
