package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// gemini has hooks, but none around its tools that are started over ACP. It has rules of its own
// (https://geminicli.com/docs/reference/policy-engine), and of these the ones of an administrator are above what
// a repository's settings and its modes say: ours have it ask the editor about everything. What is not written
// there was measured with Gemini CLI 0.61.0, and read in its code.
var gemini = Agent{
	Rules: geminiRules, NoTool: func(Card) bool { return false },
	Read: func([]byte) (Call, error) {
		return Call{}, errors.New("somebody speaks for a hook of Gemini's, and it has none")
	},
	Say: func(Answer) []byte { return []byte("{}") },
}

// geminiPolicy are the lowest of an administrator's rules, so that a person's own are above them. With a
// pattern, even one that fits everything, Gemini does not look whether it takes a command for harmless.
const geminiPolicy = `[[rule]]
toolName = "run_shell_command"
argsPattern = "."
decision = "ask_user"
priority = 1

[[rule]]
toolName = "*"
decision = "ask_user"
priority = 0
`

// geminiRules writes the rules beside the socket, and returns the words that have Gemini go by them. A person's
// own rules are named once more, since they would else be below: what they deny stays denied, and what they
// allow is not asked.
func geminiRules(environ []string, at Endpoint) ([]string, error) {
	file := filepath.Join(filepath.Dir(at.Socket), "ask.toml")
	mode := os.FileMode(0o600)
	if at.Shared {
		mode = 0o644
	}
	if err := os.WriteFile(file, []byte(geminiPolicy), mode); err != nil {
		return nil, err
	}
	words := []string{"--admin-policy", file}
	if home := geminiHome(environ); home != "" {
		theirs := filepath.Join(home, ".gemini", "policies")
		if info, err := os.Stat(theirs); err == nil && info.IsDir() {
			words = append(words, "--admin-policy", theirs)
		}
	}
	return words, nil
}

// geminiHome is where Gemini looks for a person's own settings.
func geminiHome(environ []string) (home string) {
	for _, variable := range environ {
		switch name, value, _ := strings.Cut(variable, "="); {
		case name == "GEMINI_CLI_HOME" && value != "":
			return value
		case name == "HOME":
			home = value
		}
	}
	return home
}
