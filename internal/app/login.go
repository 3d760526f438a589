package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/state"
)

// An agent may ask the editor to run it once more, with arguments added, so that the person can log in (ACP, terminal
// authentication). The editor runs what it is configured to run, which is us. What the agent asked for is kept, so that
// such a call is recognised, and given to the agent directly, even when standard input is no terminal.

// loginsFile holds, by the hash of an agent's command, the argument lists that its logins add.
const loginsFile = "logins.json"

// rememberLogins keeps what the agent of the command asked for. Without a state directory a login still works from a
// terminal.
func (a *App) rememberLogins(command []string, logins [][]string) {
	if a.state == "" {
		return
	}
	path := filepath.Join(a.state, loginsFile)
	known := readLogins(path)
	key := commandKey(command)
	if slices.EqualFunc(known[key], logins, slices.Equal) {
		return
	}
	known[key] = logins
	data, err := json.Marshal(known)
	if err != nil {
		return
	}
	temp := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(temp, data, 0o600); err == nil {
		err = os.Rename(temp, path)
		if err != nil {
			a.o.Say(fmt.Sprintf("logins are not remembered: %v", err))
		}
	}
}

// IsLogin tells whether a command is that of an agent with the arguments of one of its logins at the end. A login that
// adds no arguments is never recognised: it would take every start of the agent for a login.
func IsLogin(o Options, command []string) bool {
	path, err := state.Locate(o.Getenv)
	if err != nil {
		return false
	}
	known := readLogins(filepath.Join(path, loginsFile))
	for cut := 1; cut < len(command); cut++ {
		for _, added := range known[commandKey(command[:cut])] {
			if len(added) > 0 && slices.Equal(added, command[cut:]) {
				return true
			}
		}
	}
	return false
}

func readLogins(path string) map[string][][]string {
	known := map[string][][]string{}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &known) != nil {
		return map[string][][]string{}
	}
	return known
}

func commandKey(command []string) string {
	sum := sha256.Sum256([]byte(strings.Join(command, "\x00")))
	return hex.EncodeToString(sum[:])
}
