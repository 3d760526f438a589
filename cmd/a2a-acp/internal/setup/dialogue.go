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
	"github.com/a2a-acp/a2a-acp/internal/notify"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// ask asks the person at the terminal what no flag has said. About a file that is there nothing is asked,
// since it will not be changed. An error says that a question was left; then nothing may be written.
func (w *wishes) ask(ctx context.Context, env *cli.Environment, dir string, found machine) (err error) {
	isThere := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	asksConfine := found.hasAgents() && !w.given("confine") && !w.confines() && !w.confinedAlready
	asksPreset := !w.given("preset") && !isThere(policyFile)
	var cannot error // why agents cannot be confined
	if asksConfine || asksPreset {
		cannot = confines(env)
	}
	switch {
	case !asksConfine:
	case cannot != nil:
		fmt.Fprintf(env.Stderr, "\nThis machine cannot confine agents: %s. a2a-acp doctor says what is missing.\n", cannot)
	default:
		w.confine, err = askYes(ctx, env, "\nStart the agents in a sandbox, in which they can write the project and little else?")
		if err != nil {
			return err
		}
	}
	if asksPreset {
		if w.preset, err = askPreset(ctx, env, w.confines() || w.confinedAlready, cannot); err != nil {
			return err
		}
		w.chosen = true
		if w.preset == "balanced" && !w.given("pack") {
			if w.packs, err = askPacks(ctx, env); err != nil {
				return err
			}
		}
	}
	if !w.given("notify") && !isThere(settingsFile) {
		if w.places, err = askNotify(ctx, env); err != nil {
			return err
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

// confines says why this machine cannot confine agents; nil where it can. One that is to be and cannot does not start.
func confines(env *cli.Environment) error {
	host, err := sandbox.Open(sandbox.Options{Hidden: env.AppOptions(nil, nil).Dirs().Own()})
	if err == nil {
		level := host.Level()
		if err = host.Close(); err == nil && !level.AtLeast(sandbox.LevelFull) {
			err = fmt.Errorf("its sandbox has the level %s, and %s is wanted", level, sandbox.LevelFull)
		}
	}
	return err
}

// askNotify asks whether waiting questions are announced on the desktop, where there is one to be told.
func askNotify(ctx context.Context, env *cli.Environment) ([]string, error) {
	if missing := noDesktop(env); missing != nil {
		fmt.Fprintln(env.Stderr, cli.FoldText(env.Stderr,
			fmt.Sprintf("\nWaiting questions cannot be announced on the desktop here: %s.", missing)))
		return nil, nil
	}
	desktop, err := askYes(ctx, env, "\nAnnounce waiting questions on the desktop?")
	if err != nil || !desktop {
		return nil, err
	}
	return []string{"desktop"}, nil
}

// noDesktop says why the desktop cannot be told anything; nil where it can.
func noDesktop(env *cli.Environment) error {
	return notify.New(notify.Options{Getenv: env.Getenv}).Missing()
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

type presetWord struct{ name, words string }

// presetWords say what each preset is, in the order in which they are offered.
var presetWords = []presetWord{
	{"careful", "reads and harmless commands in the project are approved"},
	{"balanced", "also edits that the agent asks for, and commands that write, where git can take it back"},
	{confinedPreset, "agents run in a sandbox; edits and commands in it are approved"},
	{"strict", "everything is asked"},
}

// askPreset asks which rules there should be. It proposes, to whoever may choose them, confined for agents in a sandbox, else
// balanced in a git work tree, where what is edited can be taken back. cannot says why agents cannot be confined; then
// confined is not offered.
func askPreset(ctx context.Context, env *cli.Environment, confines bool, cannot error) (string, error) {
	proposed, question := defaultPreset, "\nWhich rules?\n"
	switch o := env.AppOptions(nil, nil); {
	case cli.CheckPerson() != nil:
	case confines:
		proposed = confinedPreset
	case inWorkTree(o.Dir):
		proposed = "balanced"
	}
	if confines {
		question = "\nWhich rules? All but confined ask also about what the sandbox holds anyway.\n"
	}
	offered := presetWords
	if cannot != nil && !confines {
		offered = slices.DeleteFunc(slices.Clone(offered), func(p presetWord) bool { return p.name == confinedPreset })
	}
	for i, p := range offered {
		question += fmt.Sprintf("  %d  %-8s  %s\n", i+1, p.name, p.words)
	}
	question += fmt.Sprintf("A number or a name [%s] ", proposed)
	for {
		line, err := env.Ask(ctx, question)
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(offered) {
			return offered[n-1].name, nil
		}
		switch {
		case line == "":
			return proposed, nil
		case slices.ContainsFunc(offered, func(p presetWord) bool { return p.name == line }):
			return line, nil
		case line == confinedPreset:
			question = fmt.Sprintf("This machine cannot confine agents: %s. A number or a name [%s] ", cannot, proposed)
			continue
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

// askPacks asks what runs unasked beside the preset: the builds and tests of languages, commits.
func askPacks(ctx context.Context, env *cli.Environment) ([]string, error) {
	question := "\nRun builds and tests, or commit (git), without a question? That runs the project's own code,\n" +
		"which the agent can change.\n" +
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
