package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// ask asks the person at the terminal what no flag has said. About a file that is there nothing is asked,
// since it will not be changed. An error says that a question was left; then nothing may be written.
func (w *wishes) ask(ctx context.Context, env *cli.Environment, dir string, found machine) (err error) {
	isThere := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	if !w.given("preset") && !isThere(policyFile) {
		if w.preset, err = askPreset(ctx, env); err != nil {
			return err
		}
		if w.preset == "balanced" && !w.given("pack") {
			if w.packs, err = askPacks(ctx, env); err != nil {
				return err
			}
		}
	}
	if found.hasAgents() && !w.given("confine") && !w.confines() && !w.confinedAlready {
		w.confine, err = askYes(ctx, env, "\nStart the agents in a sandbox, in which they can write the project and little else?\n"+
			"(a2a-acp doctor says what this machine can do.)")
		if err != nil {
			return err
		}
	}
	if !w.given("notify") && !isThere(settingsFile) {
		desktop, err := askYes(ctx, env, "\nAnnounce waiting questions on the desktop?")
		if err != nil {
			return err
		}
		if desktop {
			w.places = []string{"desktop"}
		}
	}
	for _, e := range found.editors {
		if len(found.agents) == 0 || w.given("editor") {
			break
		}
		enter, err := askYes(ctx, env,
			fmt.Sprintf("\nEnter the guarded agents into the settings of %s? You will see the change first.", e.Title))
		if err != nil {
			return err
		}
		if enter {
			w.editors = append(w.editors, e.Name)
		}
	}
	return nil
}

// askYes is AskYes, except that the end of the input leaves the dialogue: whoever presses Ctrl-D wants to go, and has
// not said no; nor has who mistypes a yes to the sandbox.
func askYes(ctx context.Context, env *cli.Environment, question string) (bool, error) {
	for {
		line, err := env.Ask(ctx, question+" [y/N] ")
		if err != nil || cli.IsYes(line) || slices.Contains([]string{"", "n", "no"}, strings.ToLower(line)) {
			return cli.IsYes(line), err
		}
		question = fmt.Sprintf("%q is neither yes nor no.", line)
	}
}

// presetWords say what each preset is, in the order in which they are offered.
var presetWords = []struct{ name, words string }{
	{"careful", "reads and known harmless commands in the project are approved, the rest is asked"},
	{"balanced", "also edits that the agent asks for, where git can take them back"},
	{"confined", "agents run in a sandbox; what it holds is approved, edits and commands too"},
	{"strict", "everything is asked"},
}

// askPreset asks which rules there should be. In a git work tree, where what is edited can be taken back, it
// proposes balanced, to whoever may choose it.
func askPreset(ctx context.Context, env *cli.Environment) (string, error) {
	proposed := defaultPreset
	if o := env.AppOptions(nil, nil); inWorkTree(o.Dir) && cli.CheckPerson() == nil {
		proposed = "balanced"
	}
	question := "\nWhich rules?\n"
	for i, p := range presetWords {
		question += fmt.Sprintf("  %d  %-8s  %s\n", i+1, p.name, p.words)
	}
	question += fmt.Sprintf("A number or a name [%s] ", proposed)
	for {
		line, err := env.Ask(ctx, question)
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(presetWords) {
			return presetWords[n-1].name, nil
		}
		switch {
		case line == "":
			return proposed, nil
		case slices.Contains(permissions.Presets(), line):
			return line, nil
		}
		question = fmt.Sprintf("There is no %q. A number or a name [%s] ", line, proposed)
	}
}

// inWorkTree reports whether a directory or one above it holds a repository of git's.
func inWorkTree(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// askPacks asks whose builds and tests run unasked.
func askPacks(ctx context.Context, env *cli.Environment) ([]string, error) {
	question := "\nRun builds and tests without a question? They run the project's own code, which the agent can change.\n" +
		"One or more of " + strings.Join(permissions.Packs(), ", ") + " [none] "
	for {
		line, err := env.Ask(ctx, question)
		if err != nil {
			return nil, err
		}
		packs := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' })
		if len(packs) == 0 || slices.Contains([]string{"none", "no", "n"}, strings.ToLower(line)) {
			return nil, nil
		}
		if _, known := permissions.WithPacks(nil, packs); known {
			return packs, nil
		}
		question = fmt.Sprintf("There is no %q. One or more of %s, or Enter for none: ", line, strings.Join(permissions.Packs(), ", "))
	}
}
