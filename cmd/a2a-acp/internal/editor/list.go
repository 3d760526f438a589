package editor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/editor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
)

// listed is a row of editor list.
type listed struct {
	Editor    string   `json:"editor"`
	Settings  string   `json:"settings"`
	Exists    bool     `json:"exists"`
	Guarded   []string `json:"guarded"`
	Unguarded []string `json:"unguarded"`
	Problem   string   `json:"problem,omitempty"`
	// Path is where MCP servers are listed, and Servers are those that are; of an editor that has none both are
	// empty.
	Path    string          `json:"path"`
	Servers []editor.Listed `json:"servers"`
}

func list(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [EDITOR]",
		Short: "Show the agents and MCP servers in the settings of each editor, ours and others'",
		Example: `  a2a-acp editor list
  a2a-acp editor list -o json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeEditor,
	}
	f := cli.AddFormat(cmd)
	var mcp mcpFlags
	mcp.addPlace(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			if err := known(env, args); err != nil {
				return err
			}
		}
		rows, err := rows(env, args, &mcp)
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, rows)
		}
		out := cli.Table{Head: []string{"EDITOR", "GUARDED", "NOT GUARDED", "TOOLS", "SETTINGS"}}
		for _, row := range rows {
			where := env.Short(row.Settings)
			switch {
			case row.Problem != "":
				where = row.Problem
			case !row.Exists:
				where += " (not there)"
			}
			out.Add(row.Editor, inWords(row.Guarded), inWords(row.Unguarded), row.tools(), display.Line(where))
		}
		out.Write(env.Stdout)
		for _, c := range editor.Clients() {
			if len(args) == 0 || args[0] == c.Name {
				mcp.sayOwned(env, c)
			}
		}
		return nil
	}
	return cmd
}

// rows looks at the settings of all editors, or of the one that is named.
func rows(env *cli.Environment, only []string, f *mcpFlags) (list []listed, err error) {
	wanted := func(name string) bool { return len(only) == 0 || only[0] == name }
	for _, e := range editor.Known() {
		if wanted(e.Name) {
			list = append(list, look(env, e))
		}
	}
	for _, c := range editor.Clients() {
		if !wanted(c.Name) || f.workspace != "" && !c.OfProjects() {
			continue
		}
		path, _, err := f.path(env, c)
		if err != nil {
			return nil, err
		}
		row := listed{Editor: c.Name, Guarded: []string{}, Unguarded: []string{}, Settings: path, Servers: []editor.Listed{}}
		at := slices.IndexFunc(list, func(l listed) bool { return l.Editor == c.Name })
		if at >= 0 {
			row = list[at]
		}
		row.Path = path
		servers, err := c.Servers(path)
		if err != nil {
			row.Problem = err.Error()
		}
		row.Servers = append(row.Servers, servers...)
		if _, err := os.Stat(path); err == nil {
			row.Exists = true
		}
		if at >= 0 {
			list[at] = row
		} else {
			list = append(list, row)
		}
	}
	return list, nil
}

// tools says whether our server is entered.
func (l listed) tools() string {
	for _, server := range l.Servers {
		if server.Ours {
			return "yes"
		}
	}
	return "-"
}

func look(env *cli.Environment, e editor.Editor) listed {
	row := listed{Editor: e.Name, Guarded: []string{}, Unguarded: []string{}, Servers: []editor.Listed{}}
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
	return editor.DirsOf(env.Getenv)
}

// known refuses an editor that is not known.
func known(env *cli.Environment, args []string) error {
	if len(args) > 0 {
		if _, ok := clientOf(args[0]); ok {
			if !filepath.IsAbs(settingsDirs(env).Home) {
				return cli.Fail(exit.Host, errors.New("HOME is not set, so there is nobody whose settings could be meant"))
			}
			return nil
		}
	}
	_, err := named(env, args)
	return err
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
	for _, c := range editor.Clients() {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(args) == 0 {
		return editor.Editor{}, cli.Fail(exit.Usage, errors.New("which editor? One of "+strings.Join(names, ", ")))
	}
	hint := "another ACP editor, such as Neovim or Emacs, runs a2a-acp bridge NAME in place of the agent"
	if near := spelling.Nearest(strings.ToLower(args[0]), names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return editor.Editor{}, cli.Fail(exit.Usage,
		fmt.Errorf("%q is no editor whose settings can be changed: want one of %s\nhint: %s", args[0], strings.Join(names, ", "), hint))
}

func completeEditor(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, e := range editor.Known() {
		names = append(names, cobra.CompletionWithDesc(e.Name, e.Title))
	}
	for _, c := range editor.Clients() {
		if !hasAgents(c.Name) {
			names = append(names, cobra.CompletionWithDesc(c.Name, c.Title))
		}
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
