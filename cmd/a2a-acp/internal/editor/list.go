package editor

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// listed is a row of editor list.
type listed struct {
	Editor    string   `json:"editor"`
	Settings  string   `json:"settings"`
	Exists    bool     `json:"exists"`
	Guarded   []string `json:"guarded"`
	Unguarded []string `json:"unguarded"`
	Problem   string   `json:"problem,omitempty"`
}

func list(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show the agents in the settings of each editor, guarded and not",
		Example: `  a2a-acp editor list
  a2a-acp editor list -o json`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		var rows []listed
		for _, e := range editor.Known() {
			rows = append(rows, look(env, e))
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, rows)
		}
		out := cli.Table{Head: []string{"EDITOR", "GUARDED", "NOT GUARDED", "SETTINGS"}}
		for _, row := range rows {
			where := env.Short(row.Settings)
			switch {
			case row.Problem != "":
				where = row.Problem
			case !row.Exists:
				where += " (not there)"
			}
			out.Add(row.Editor, inWords(row.Guarded), inWords(row.Unguarded), display.Line(where))
		}
		out.Write(env.Stdout)
		return nil
	}
	return cmd
}

func look(env *cli.Environment, e editor.Editor) listed {
	row := listed{Editor: e.Name, Guarded: []string{}, Unguarded: []string{}}
	row.Settings, row.Exists = e.Settings(settingsDirs(env))
	entries, err := e.List(settingsDirs(env))
	if err != nil {
		row.Problem = err.Error()
	}
	for _, entry := range entries {
		if entry.Guarded() {
			row.Guarded = append(row.Guarded, entry.Name)
		} else {
			row.Unguarded = append(row.Unguarded, entry.Name)
		}
	}
	return row
}

func inWords(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return display.Line(strings.Join(names, "; "))
}

func settingsDirs(env *cli.Environment) editor.Dirs {
	return editor.Dirs{Home: env.Getenv("HOME"), Config: env.Getenv("XDG_CONFIG_HOME")}
}

// named returns the editor that the first argument names.
func named(env *cli.Environment, args []string) (editor.Editor, error) {
	if !filepath.IsAbs(settingsDirs(env).Home) {
		return editor.Editor{}, cli.Fail(exit.Host, errors.New("HOME is not set, so there is nobody whose settings could be meant"))
	}
	var names []string
	for _, e := range editor.Known() {
		if len(args) > 0 && e.Name == args[0] {
			return e, nil
		}
		names = append(names, e.Name)
	}
	if len(args) == 0 {
		return editor.Editor{}, cli.Fail(exit.Usage, errors.New("which editor? One of "+strings.Join(names, ", ")))
	}
	return editor.Editor{}, cli.Fail(exit.Usage, fmt.Errorf("%q is no editor whose settings can be changed: want one of %s",
		args[0], strings.Join(names, ", ")))
}

func completeEditor(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, e := range editor.Known() {
		names = append(names, cobra.CompletionWithDesc(e.Name, e.Title))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeEnable(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeEditor(cmd, args, typed)
	}
	return slices.DeleteFunc(cli.AgentNames(), func(name string) bool { return slices.Contains(args[1:], name) }),
		cobra.ShellCompDirectiveNoFileComp
}
