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
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/tools"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// defaultPreset is the preset of who names none.
const defaultPreset = "careful"

// Command returns the verb init.
func Command(env *cli.Environment) *cobra.Command {
	preset := defaultPreset
	var places, packs []string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Find the agents, write the configuration files, print the editor's settings",
		Long: `init looks for agents on PATH and among those that Zed has installed for itself, writes
configuration files where there are none (an existing file is never touched), and prints what to
paste into Zed's settings.json.

Presets of the policy file:
  careful   reads and known harmless commands inside the workspace are approved, the rest is asked
  balanced  also edits that the agent asks for, in a git work tree
  confined  for bridge --confine: what the agent's sandbox holds is approved, edits and commands too
  strict    everything is asked

--pack adds rules by which the builds and tests of a language run without a question. They run the
project's own code, which the agent can change.

--notify announces a waiting question: on the desktop (notify-send), or on the terminal that shows
approvals watch. The default is neither.`,
		Example: `  a2a-acp init
  a2a-acp init --preset balanced
  a2a-acp init --preset confined
  a2a-acp init --preset balanced --pack go,node
  a2a-acp init --notify desktop,terminal`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return initialise(cmd.Context(), env, preset, packs, places)
		},
	}
	cmd.Flags().StringVar(&preset, "preset", preset, "which policy file: "+presetNames())
	cmd.Flags().StringSliceVar(&packs, "pack", nil, "builds and tests that run unasked: "+strings.Join(permissions.Packs(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("pack",
		cobra.FixedCompletions(permissions.Packs(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringSliceVar(&places, "notify", nil, "where to announce a waiting question: desktop, terminal")
	_ = cmd.RegisterFlagCompletionFunc("notify",
		cobra.FixedCompletions([]string{"desktop", "terminal"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("preset",
		cobra.FixedCompletions(permissions.Presets(), cobra.ShellCompDirectiveNoFileComp))
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
`

// settingsWith returns the starter settings with these places for notifications.
func settingsWith(places []string) (string, error) {
	for _, place := range places {
		if place != "desktop" && place != "terminal" {
			return "", fmt.Errorf("--notify %q: want desktop, terminal or both", place)
		}
	}
	if len(places) == 0 {
		return starterSettings, nil
	}
	return starterSettings + "notifications: [" + strings.Join(places, ", ") + "]\n", nil
}

func initialise(ctx context.Context, env *cli.Environment, preset string, packs, places []string) error {
	settings, err := settingsWith(places)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	policies, ok := permissions.Preset(preset)
	if !ok {
		return cli.Fail(exit.Usage, fmt.Errorf("--preset %q: want %s", preset, presetNames()))
	}
	if policies, ok = permissions.WithPacks(policies, packs); !ok {
		return cli.Fail(exit.Usage, fmt.Errorf("--pack %s: want %s, each once", strings.Join(packs, ","),
			strings.Join(permissions.Packs(), ", ")))
	}
	if preset == "balanced" || preset == "confined" || len(packs) > 0 { // the others approve no more than what holds without a file
		if err := cli.Confirm(ctx, env); err != nil {
			return err
		}
	}
	dir := env.AppOptions(nil, nil).Dirs().Config()
	if dir == "" {
		return cli.Fail(exit.Host, errors.New("neither HOME nor XDG_CONFIG_HOME is set, so there is no place for the files"))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cli.Fail(exit.Host, err)
	}
	for _, file := range []struct {
		name string
		data []byte
		flag string // says what is in it; "" if none was given
	}{
		{"tools.yaml", []byte(starterTools), ""},
		{"auto_approval_policies.yaml", policies, flagOf("--preset", preset, preset != defaultPreset)},
		{"a2a-acp.yaml", []byte(settings), flagOf("--notify", strings.Join(places, ","), len(places) > 0)},
	} {
		path := filepath.Join(dir, file.name)
		wrote, err := writeNew(env, path, file.data)
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		if now, err := os.ReadFile(path); !wrote && file.flag != "" && err == nil && !bytes.Equal(now, file.data) {
			fmt.Fprintf(env.Stderr, "       %s did not change it; to have it written, move the file away first\n", file.flag)
		}
	}
	if err := tools.WriteSchema(env, dir); err != nil {
		return cli.Fail(exit.Host, err)
	}
	var flags []string
	if preset == "confined" {
		flags = []string{"--confine"}
	}
	return printSettings(env, flags)
}

// presetNames lists the presets for a sentence.
func presetNames() string {
	names := permissions.Presets()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// flagOf returns a flag with its value, or "" if it was not given.
func flagOf(name, value string, given bool) string {
	if !given {
		return ""
	}
	return name + " " + value
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

// printSettings prints what goes into Zed's settings.json, with flags of bridge, and says what puts it there.
func printSettings(env *cli.Environment, flags []string) error {
	self, err := cli.Self()
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	finder := cli.Finder(env)
	var entries []editor.Entry
	for _, agent := range agents.Known() {
		command, err := finder.Find(agent)
		if err != nil {
			fmt.Fprintf(env.Stderr, "missing %s (%s)\n", agent.Title, agent.Install())
			continue
		}
		fmt.Fprintf(env.Stderr, "found  %s: %s\n", agent.Title, strings.Join(command, " "))
		entries = append(entries, editor.Guarded(self, agent.Title, command, flags...))
	}
	if len(entries) == 0 {
		fmt.Fprintln(env.Stderr, "\nno agent was found; install one and run a2a-acp init again")
		return nil
	}
	var zed editor.Editor
	for _, e := range editor.Known() {
		if path, exists := e.Settings(editor.Dirs{Home: env.Getenv("HOME"), Config: env.Getenv("XDG_CONFIG_HOME")}); exists {
			fmt.Fprintf(env.Stderr, "found  %s: %s\n", e.Title, path)
		}
		if e.Name == "zed" {
			zed = e
		}
	}
	fmt.Fprintln(env.Stderr, "\n"+strings.Join(append([]string{"a2a-acp editor enable"}, flags...), " ")+
		" zed (or jetbrains) enters this into your editor's settings; or paste it into Zed's\n"+
		"settings.json (zed: open settings). Then choose the agent in the agent panel:")
	data, err := zed.JSON(entries)
	if err != nil {
		return err
	}
	_, err = env.Stdout.Write(data)
	return err
}
