package agents

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// Terminal is how an agent is started in a person's own terminal, and which of its words leave its hooks in
// force: those that are not here could switch them off, or hand the work to a process that has none. It is
// what --help says of claude 2.1.316, codex 0.166.0 and opencode 1.18.33.
type Terminal struct {
	Program string // on PATH
	Package string // its npm package
	// Since is the first version that is known not to do what its hook could not decide about, where nothing
	// else shows that.
	Since string
	// Options are the options that it may be given: NAME, NAME= with a value, NAME? with one perhaps, and NAME*
	// with several.
	Options string
	// Commands are its sub-commands that may be given, with the further options of each.
	Commands map[string]string
	// Prints lists the options and sub-commands by which it prints an answer and ends.
	Prints []string
	// Places is set where the first word that is no command names the directory that it works in.
	Places bool
	// Unguarded says why nothing can be decided of it there; "" where its hooks ask.
	Unguarded string
}

const claudeOptions = `--add-dir* --agent= --agents= --allow-dangerously-skip-permissions --allowedTools* --allowed-tools*
	--append-system-prompt= --autocompact= --ax-screen-reader --betas* --brief -c --continue --dangerously-skip-permissions
	--debug-file= --disable-slash-commands --disallowedTools* --disallowed-tools* --effort=
	--exclude-dynamic-system-prompt-sections --fallback-model= --fork-session --forward-subagent-text -h --help --ide
	--include-hook-events --include-partial-messages --input-format= --json-schema= --max-budget-usd= --mcp-config* --model=
	-n= --name= --no-chrome --no-session-persistence --output-format= --permission-mode= -p --print --replay-user-messages
	-r? --resume? --session-id= --strict-mcp-config --system-prompt= --tools* --verbose -v --version`

const codexOptions = `-c= --config= --strict-config -i* --image* -m= --model= --oss --local-provider= -p= --profile= -s=
	--sandbox= --approve-for-me --dangerously-bypass-approvals-and-sandbox --add-dir= -a= --ask-for-approval= --search
	--no-alt-screen -h --help -V --version`

const codexExecOptions = codexOptions + ` --skip-git-repo-check --ephemeral --ignore-user-config --ignore-rules
	--output-schema= --color= --json -o= --output-last-message= --last --all`

const opencodeOptions = `-h --help -v --version --print-logs --log-level= -m= --model= -c --continue -s= --session= --fork
	--prompt= --agent=`

func terminals() map[string]Terminal {
	return map[string]Terminal{
		"claude": {Program: "claude", Package: "@anthropic-ai/claude-code", Since: "2.1.316", Options: claudeOptions,
			Prints: []string{"-p", "--print"}},
		"codex": {Program: "codex", Package: "@openai/codex", Options: codexOptions, Prints: []string{"exec", "e", "review"},
			Commands: map[string]string{"exec": codexExecOptions, "e": codexExecOptions, "resume": codexOptions + " --last --all",
				"fork": codexOptions + " --last --all", "review": "-c= --config= --uncommitted --base= --commit= --title= -h --help"}},
		"opencode": {Program: "opencode", Package: "opencode-ai", Options: opencodeOptions, Places: true, Prints: []string{"run"},
			Commands: map[string]string{"run": opencodeOptions +
				" --command= --format= -f* --file* --title= --variant= --thinking"}},
		"gemini": {Program: "gemini", Package: "@google/gemini-cli",
			Unguarded: "Gemini takes its hooks from your own settings alone, so none of its acts can be decided in a terminal"},
	}
}

// Terminal returns how the agent is started in a person's own terminal.
func (a Agent) Terminal() Terminal { return terminals()[a.Name] }

// Sees is what is decided of the agent in a person's own terminal. hooked says that its hooks ask.
func (t Terminal) Sees(hooked bool) Coverage {
	c := Coverage{Files: neverUsed, Terminals: neverUsed, Prompts: "its own, put to you in its own terminal",
		Own: "not decided here: it asks you itself, or does them unasked"}
	if hooked {
		c.Own = decided + ", each before it happens, through the agent's hooks"
	}
	return c
}

// InTerminal is the agent as its own terminal program.
func (a Agent) InTerminal() Agent {
	t := a.Terminal()
	a.Program, a.Package, a.Args = t.Program, t.Package, nil
	return a
}

// Check returns an error where a word is not known to leave the agent's hooks in force. prints says that it
// prints an answer and ends, as far as its words say so.
func (t Terminal) Check(words []string) (prints bool, err error) {
	options, inCommand, operands := strings.Fields(t.Options), false, 0
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			return prints, errors.New(`"--" would hide what follows it from this check; leave it out`)
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			if more, known := t.Commands[word]; known && operands == 0 && !inCommand {
				options, inCommand = strings.Fields(more), true
				prints = prints || slices.Contains(t.Prints, word)
				continue
			}
			if operands++; operands == 1 && !inCommand {
				if err := t.operand(word); err != nil {
					return prints, err
				}
			}
			continue
		}
		name, value, joined := strings.Cut(word, "=")
		kind, known := kindOf(options, name)
		if !known {
			return prints, fmt.Errorf("%s is not known to leave the hooks of %s in force, so nothing could be decided; leave it out",
				name, t.Program)
		}
		prints = prints || slices.Contains(t.Prints, name)
		several := kind == '*'
		for !joined && kind != 0 && i+1 < len(words) && (kind == '=' || !strings.HasPrefix(words[i+1], "-")) {
			i++
			value = words[i]
			if !several {
				break
			}
		}
		if t.Program == "codex" && (name == "-c" || name == "--config") && steersHooks(value) {
			return prints, fmt.Errorf("%s %s: the settings of hooks and features are a2a-acp's here", name, value)
		}
	}
	return prints, nil
}

var versionNumber = lazyregexp.New(`\d+\.\d+\.\d+[0-9A-Za-z.+-]*`)

// Old returns an error where what the program says to --version is not a version whose hooks are known.
func (t Terminal) Old(said string) error {
	version := versionNumber.FindString(said)
	if t.Since == "" || version != "" && !older(version, t.Since) {
		return nil
	}
	if version == "" {
		version = "of a version that it does not tell"
	}
	return fmt.Errorf("%s %s: the first version whose hooks are known to ask before each act is %s; update it",
		t.Program, version, t.Since)
}

// commandName matches what a command could be called.
var commandName = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_-]*$`)

// operand returns an error for a word that could be a command of the agent's, or a directory.
func (t Terminal) operand(word string) error {
	switch {
	case t.Places:
		return fmt.Errorf("%s: start a2a-acp run in the directory that %s is to work in", word, t.Program)
	case commandName.MatchString(word):
		return fmt.Errorf("%q could be a command of %s's that does without its hooks; a prompt has more words than one",
			word, t.Program)
	}
	return nil
}

// kindOf returns what follows an option's name: a value (=), one perhaps (?), several (*), or nothing (0).
func kindOf(options []string, name string) (kind byte, known bool) {
	for _, option := range options {
		if option == name {
			return 0, true
		}
		if last := len(option) - 1; option[:last] == name && strings.ContainsRune("=?*", rune(option[last])) {
			return option[last], true
		}
	}
	return 0, false
}

// steersHooks reports whether a setting of Codex', KEY=VALUE, may say which hooks there are, or whether any.
func steersHooks(setting string) bool {
	key, _, _ := strings.Cut(setting, "=")
	key = strings.TrimSpace(key)
	quoted := strings.ContainsAny(key, "\"'\\ ")
	return quoted || strings.HasPrefix(key, "hooks") || strings.HasPrefix(key, "features")
}
