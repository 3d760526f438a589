// Package setup is the verb init: it writes the first files and prints the editor's settings.
package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	editorverb "github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/tools"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// defaultPreset is the preset of who names none, and confinedPreset the one for agents in their sandbox.
const (
	defaultPreset  = "careful"
	confinedPreset = "confined"
)

// wishes are what init is to set up.
type wishes struct {
	preset  string
	packs   []string // what runs unasked beside the preset
	places  []string // where a waiting question is announced
	confine bool     // agents are started in their sandbox, which the settings are to say
	editors []string // into whose settings the agents are entered
	yes     bool     // without asking

	chosen          bool // the preset, among all of them
	confinedAlready bool // by the settings that are there

	given func(flag string) bool // reports whether the person has said it with a flag
}

// Command returns the verb init.
func Command(env *cli.Environment) *cobra.Command {
	w := wishes{preset: defaultPreset}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Find the agents and editors, write the configuration files",
		Long: `init looks for agents on PATH and among those that Zed has installed for itself, and for
editors. On a terminal it asks what no flag says: which rules, whether agents are
confined, and whether to enter them into your editor's settings. Elsewhere it asks nothing.
It writes configuration files where there are none, and prints what to paste into Zed's
settings.json. That agents are confined is written into a2a-acp.yaml, so that run, bridge and
editor enable go by it, too. Of a file that is there no byte changes: what a2a-acp.yaml does not
say yet is added at its end.

Presets of the policy file:
  careful   reads and known harmless commands inside the workspace are approved, the rest is asked
  balanced  also edits that the agent asks for, and mkdir, touch, sed -i and > FILE, in a git work tree
  confined  for bridge --confine: what the agent's sandbox holds is approved, edits and commands too
  strict    everything is asked
Without --preset init proposes confined for agents in a sandbox, else balanced in a git work
tree, else careful. Where it asks nothing it writes careful, which approves no more than what
holds without a file.

--pack adds rules by which the builds and tests of a language run without a question, or (git) what
commits to this machine. They run the project's own code, which the agent can change. For a policy
file that is there it prints the rules, to be added by hand.

--notify announces a waiting question: on the desktop (notify-send), or on the terminal that shows
approvals watch. The default is neither.`,
		Example: `  a2a-acp init
  a2a-acp init --preset balanced
  a2a-acp init --preset confined --editor zed
  a2a-acp init --preset balanced --pack git,node
  a2a-acp init --notify desktop,terminal
  a2a-acp init --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.given = cmd.Flags().Changed
			return initialise(cmd.Context(), env, w)
		},
	}
	cmd.Flags().StringVar(&w.preset, "preset", w.preset, "which policy file: "+presetNames())
	cmd.Flags().Lookup("preset").DefValue = "" // what is proposed depends; see above
	cmd.Flags().StringSliceVar(&w.packs, "pack", nil, "what else runs unasked: "+strings.Join(permissions.Packs(), ", "))
	cmd.Flags().StringSliceVar(&w.places, "notify", nil, "where to announce a waiting question: desktop, terminal")
	cmd.Flags().BoolVar(&w.confine, "confine", false,
		"start the agents in their sandbox (bridge --confine), and write that into a2a-acp.yaml")
	cmd.Flags().StringSliceVar(&w.editors, "editor", nil, "enter the agents into these editors' settings: zed, jetbrains")
	cmd.Flags().BoolVarP(&w.yes, "yes", "y", false, "ask nothing")
	for flag, values := range map[string][]string{
		"preset": permissions.Presets(), "pack": permissions.Packs(), "notify": {"desktop", "terminal"}, "editor": editorNames(),
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// starterTools is the tools file that init writes: one entry that runs, and says how to go on.
const starterTools = tools.Modeline +
	`# Your tools: bash scripts that agents may call.
#   a2a-acp tools check                               finds mistakes
#   a2a-acp tools run recent_changes -p count=3       runs a tool
#   a2a-acp tools new line_count -- 'wc -l {{file}}'  adds one
# A value never becomes part of the script: {{count}} is replaced by a reference to a variable.
version: 2

tools:
  recent_changes:
    name: Recent changes
    description: The last commits of the project, newest first.
    script: |
      #!/bin/bash
      git log --oneline --max-count={{count}}
    parameters:
      - name: count
        type: integer
        description: How many
        minimum: 1
        maximum: 100
        default: 10
    annotations: {readOnlyHint: true}
    sandbox:
      working_directory: "." # the project that the agent works in; it may read there, and write with allowed_paths: ["."]
      timeout: 10
`

// starterSettings is the settings file that init writes. All of it is comment: it says what could be said.
const starterSettings = `# Settings of a2a-acp. The values here are the defaults.
#
# always: keep          # "always" in a question lasts for the session; forward gives it to the agent, which then stops asking
# expose: []            # included tools that agents are offered beside yours, for example [grep, system_info]
# mask:
#   fs: false           # true hides the editor's fs methods from the agent
#   terminal: false
# max_frame_mb: 64      # the longest line that is relayed
# notifications: []     # [desktop, terminal] announces waiting questions
# confine: optional     # default starts agents in their sandbox where no flag says otherwise; required starts no other
`

// setting is a line of the settings file.
type setting struct{ key, value string }

// settings returns what is wished for of the settings file.
func (w wishes) settings() (list []setting, err error) {
	for _, place := range w.places {
		if place != "desktop" && place != "terminal" {
			return nil, fmt.Errorf("--notify %q: want desktop, terminal or both", place)
		}
	}
	if len(w.places) > 0 {
		list = append(list, setting{"notifications", "[" + strings.Join(w.places, ", ") + "]"})
	}
	if w.confines() {
		list = append(list, setting{"confine", "default"})
	}
	return list, nil
}

func initialise(ctx context.Context, env *cli.Environment, w wishes) error {
	dir := env.AppOptions(nil, nil).Dirs().Config()
	if dir == "" {
		return cli.Fail(exit.Host, errors.New("neither HOME nor XDG_CONFIG_HOME is set, so there is no place for the files"))
	}
	if err := w.check(); err != nil { // before anything is asked
		return cli.Fail(exit.Usage, err)
	}
	before, err := cli.Load(env, nil, nil)
	if err == nil {
		err = cli.WouldCount(env)
	}
	if err != nil {
		fmt.Fprintln(env.Stderr, cli.FoldText(env.Stderr, yamldoc.Shown(err)))
		env.Say("nothing is written, for the reason above")
		return cli.Silent(exit.Usage)
	}
	w.confinedAlready = before.Settings.ConfineByDefault
	found := look(env)
	if !w.yes && cli.IsTerminal(env.Stdin) {
		if err := w.ask(ctx, env, dir, found); err != nil {
			env.Say("nothing is written")
			if errors.Is(err, cli.ErrEnded) {
				return cli.Fail(exit.Usage, err)
			}
			return err
		}
	}
	editors, err := w.named()
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	if err := w.write(ctx, env, dir); err != nil {
		return err
	}
	set, err := cli.Load(env, nil, nil)
	if err != nil { // as every other verb would say
		fmt.Fprintln(env.Stderr, cli.FoldText(env.Stderr, "\n"+yamldoc.Shown(err)))
		env.Say("the files are there, and do not count as they are; no editor's settings were changed")
		return cli.Silent(cli.CodeOf(err))
	}
	byDefault := set.Settings.ConfineByDefault
	if w.confines() || byDefault {
		if cannot := confines(env); cannot != nil {
			env.Say(fmt.Sprintf("this machine cannot confine agents (%s), so those that are to be confined do not start; "+
				"a2a-acp doctor says what is missing", cannot))
		}
	}
	if w.confines() && !byDefault {
		env.Say("run and bridge confine an agent with --confine only")
	}
	if w.confines() && !w.chosen && !slices.ContainsFunc(set.Policies, hasConfined) {
		env.Say("your rules ask also about what the sandbox holds anyway; to be asked less, move " +
			env.Short(filepath.Join(dir, policyFile)) + " away and run a2a-acp init --preset " + confinedPreset)
	}
	if missing := noDesktop(env); missing != nil && slices.Contains(w.places, "desktop") {
		env.Say("the desktop is told nothing yet: " + missing.Error())
	}
	var flags []string
	if w.confines() || byDefault {
		flags = []string{"--confine"}
	}
	entries, err := found.guarded(flags)
	if err != nil {
		return err
	}
	needed := flags
	if byDefault {
		needed = nil
	}
	inTerminal := found.run(needed, byDefault)
	if len(entries) == 0 {
		if inTerminal != "" {
			fmt.Fprintln(env.Stderr, cli.FoldText(env.Stderr, "\n"+inTerminal))
		}
		return nil
	}
	for _, e := range editors {
		if err := editorverb.Enable(ctx, env, e, entries, w.yes); err != nil {
			return err
		}
	}
	return printSettings(env, entries, needed, inTerminal, len(editors) > 0 || found.haveEntered(env, entries))
}

// confines reports whether agents are to be started in their sandbox.
func (w wishes) confines() bool { return w.confine || w.preset == confinedPreset }

// hasConfined reports whether a file, not of a repository, has a rule for agents in their sandbox.
func hasConfined(file permissions.File) bool {
	return !file.TightenOnly && file.Root == "" &&
		slices.ContainsFunc(file.Rules, func(r permissions.Rule) bool { return r.Confined })
}

// check says which flag has a value that there is not.
func (w wishes) check() error {
	if _, err := w.policies(); err != nil {
		return err
	}
	if _, err := w.settings(); err != nil {
		return err
	}
	_, err := w.named()
	return err
}

// policies returns the policy file that is wished for.
func (w wishes) policies() ([]byte, error) {
	preset, ok := permissions.Preset(w.preset)
	if !ok {
		return nil, fmt.Errorf("--preset %q: want %s", w.preset, presetNames())
	}
	policies, ok := permissions.WithPacks(preset, w.packs)
	if !ok {
		return nil, fmt.Errorf("--pack %s: want %s, each once", strings.Join(w.packs, ","), strings.Join(permissions.Packs(), ", "))
	}
	return policies, nil
}

// write writes the files that are not there.
func (w wishes) write(ctx context.Context, env *cli.Environment, dir string) error {
	settings, err := w.settings()
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	policies, err := w.policies()
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	// The other presets approve no more than what holds without a file.
	if w.preset == "balanced" || w.preset == confinedPreset || len(w.packs) > 0 {
		if err := cli.Confirm(ctx, env); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cli.Fail(exit.Host, err)
	}
	if _, err := writeNew(env, filepath.Join(dir, "tools.yaml"), []byte(starterTools)); err != nil {
		return cli.Fail(exit.Host, err)
	}
	path := filepath.Join(dir, policyFile)
	wrote, err := writeNew(env, path, policies)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	if now, err := os.ReadFile(path); !wrote && err == nil && !bytes.Equal(now, policies) {
		if w.preset != defaultPreset {
			fmt.Fprintf(env.Stderr, "       --preset %s did not change it; to have it written, move the file away first\n", w.preset)
		}
		tellPacks(env, now, w.packs)
	}
	if err := writeSettings(env, filepath.Join(dir, settingsFile), settings); err != nil {
		return cli.Fail(exit.Host, err)
	}
	if err := tools.WriteSchema(env, dir); err != nil {
		return cli.Fail(exit.Host, err)
	}
	return nil
}

// tellPacks says of packs that are not in the rules that are there how they come into them.
func tellPacks(env *cli.Environment, rules []byte, packs []string) {
	for _, name := range packs {
		pack, _ := permissions.WithPacks(nil, []string{name})
		if bytes.Contains(rules, bytes.TrimSpace(pack)) {
			continue
		}
		fmt.Fprintf(env.Stderr, "       --pack %s did not change it; to add it, put these lines at the end of its "+
			"auto_approval_policies:\n%s\n", name, pack)
	}
}

// The names of the files that say what init asks about.
const (
	policyFile   = config.PoliciesName
	settingsFile = "a2a-acp.yaml"
)

// presetNames lists the presets for a sentence.
func presetNames() string {
	names := permissions.Presets()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// writeSettings writes the settings file, or puts what is wished for at the end of the one that is there.
func writeSettings(env *cli.Environment, path string, wished []setting) error {
	text := starterSettings
	for _, one := range wished {
		text += one.key + ": " + one.value + "\n"
	}
	wrote, err := writeNew(env, path, []byte(text))
	if err != nil || wrote {
		return err
	}
	file := config.File{Name: path}
	if file.Data, err = os.ReadFile(path); err != nil {
		return err
	}
	before := file.Data
	for _, one := range wished {
		data, line, err := config.AddSetting(file, one.key, one.value)
		switch {
		case err != nil:
			fmt.Fprintf(env.Stderr, "       %s: %s is not written: %v\n", one.key, one.value, err)
		case !bytes.Equal(data, file.Data):
			fmt.Fprintf(env.Stderr, "       %s: %s is added, in line %d\n", one.key, one.value, line)
			file.Data = data
		}
	}
	if bytes.Equal(file.Data, before) {
		return nil
	}
	return cli.ReplaceFile(path, file.Data, 0o600)
}

// writeNew writes a file that is not there yet, and reports whether it did. One that is there is the
// person's.
func writeNew(env *cli.Environment, path string, data []byte) (bool, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintf(env.Stderr, "kept   %s\n", path)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return false, err
	}
	fmt.Fprintf(env.Stderr, "wrote  %s\n", path)
	return true, f.Close()
}

// printSettings prints what goes into Zed's settings.json, with flags of bridge, and says what puts it there,
// unless it was put into some editor's settings already.
func printSettings(env *cli.Environment, entries []editor.Entry, flags []string, inTerminal string, entered bool) error {
	if entered {
		with := strings.Join(append(slices.Clone(flags), "NAME"), " ")
		fmt.Fprintln(env.Stderr, "\nChoose the guarded agent in the editor's agent panel. Elsewhere, run a2a-acp bridge "+with+".")
	} else {
		fmt.Fprintln(env.Stderr, "\n"+strings.Join(append([]string{"a2a-acp editor enable"}, flags...), " ")+
			" zed (or jetbrains) enters this into your editor's settings; or paste it into Zed's\n"+
			"settings.json (zed: open settings). Then choose the agent in the agent panel:")
		zed, _ := editorNamed("zed")
		data, err := zed.JSON(entries)
		if err != nil {
			return err
		}
		if _, err = env.Stdout.Write(data); err != nil {
			return err
		}
	}
	if inTerminal != "" {
		fmt.Fprintln(env.Stderr, cli.FoldText(env.Stderr, "\n"+inTerminal))
	}
	return nil
}
