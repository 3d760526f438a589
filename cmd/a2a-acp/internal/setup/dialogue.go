package setup

import (
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
// since it will not be changed.
func (w *wishes) ask(env *cli.Environment, dir string, found machine) {
	isThere := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	if !w.given("preset") && !isThere(policyFile) {
		w.preset = askPreset(env)
		if w.preset == "balanced" && !w.given("pack") {
			w.packs = askPacks(env)
		}
	}
	if len(found.agents) > 0 && !w.given("confine") && w.preset != "confined" {
		w.confine = env.AskYes("\nStart the agents in a sandbox, in which they can write the project and little else?\n" +
			"(a2a-acp doctor says what this machine can do.)")
	}
	if !w.given("notify") && !isThere(settingsFile) && env.AskYes("\nAnnounce waiting questions on the desktop?") {
		w.places = []string{"desktop"}
	}
	for _, e := range found.editors {
		if len(found.agents) > 0 && !w.given("editor") &&
			env.AskYes(fmt.Sprintf("\nEnter the guarded agents into the settings of %s? You will see the change first.", e.Title)) {
			w.editors = append(w.editors, e.Name)
		}
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
func askPreset(env *cli.Environment) string {
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
		line, ok := env.Ask(question)
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(presetWords) {
			return presetWords[n-1].name
		}
		switch {
		case line == "" || !ok:
			return proposed
		case slices.Contains(permissions.Presets(), line):
			return line
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
func askPacks(env *cli.Environment) []string {
	question := "\nRun builds and tests without a question? They run the project's own code, which the agent can change.\n" +
		"Of " + strings.Join(permissions.Packs(), ", ") + " [none] "
	for {
		line, ok := env.Ask(question)
		packs := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' })
		if !ok || len(packs) == 0 || line == "none" {
			return nil
		}
		if _, known := permissions.WithPacks(nil, packs); known {
			return packs
		}
		question = "Want some of " + strings.Join(permissions.Packs(), ", ") + ", each once [none] "
	}
}
