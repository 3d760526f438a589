package cobratools

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/editor"
)

// place says which settings are meant.
type place struct {
	workspace, path string
}

func (p *place) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.workspace, "workspace", "", "the settings of the project in this directory, not yours")
	cmd.Flags().Lookup("workspace").NoOptDefVal = "."
	cmd.Flags().StringVar(&p.path, "config-path", "", "the settings file, in place of the usual one")
}

// client returns an editor, with entries of this program, and the file that lists its servers.
func (p *place) client(own *cobra.Command, name string) (c editor.Client, path string, err error) {
	executable, err := self()
	if err != nil {
		return c, "", err
	}
	var names []string
	for _, known := range editor.Clients() {
		if names = append(names, known.Name); known.Name == name {
			c = known
		}
	}
	if c.Name == "" {
		return c, "", fmt.Errorf("no editor is known as %q: want one of %s", name, strings.Join(names, ", "))
	}
	if c, err = c.Of(filepath.Base(executable), verbs(own)[0]); err != nil {
		return c, "", err
	}
	if p.path != "" {
		path, err = filepath.Abs(p.path)
		return c, path, err
	}
	project := p.workspace
	if project != "" {
		if project, err = filepath.Abs(project); err != nil {
			return c, "", err
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return c, "", err
	}
	dirs := editor.DirsOf(os.Getenv)
	dirs.Home = home
	path, err = c.File(dirs, project)
	return c, path, err
}

// shown has the error of a command stand as text: it may quote settings, which can be a repository's.
func shown(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			return errors.New(display.Text(err.Error()))
		}
		return nil
	}
}

// verbs are the words behind the program's name that start a command.
func verbs(cmd *cobra.Command) []string { return strings.Fields(cmd.CommandPath())[1:] }

func completeEditors(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, c := range editor.Clients() {
			names = append(names, c.Name+"\t"+c.Title)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func enableCommand(c Config, own *cobra.Command) *cobra.Command {
	var where place
	var variables []string
	cmd := &cobra.Command{
		Use: "enable EDITOR", Short: "Enter this program in an editor's settings, as an MCP server", Args: cobra.ExactArgs(1),
		ValidArgsFunction: completeEditors,
		RunE: shown(func(cmd *cobra.Command, args []string) error {
			client, path, err := where.client(own, args[0])
			if err != nil {
				return err
			}
			executable, err := self()
			if err != nil {
				return err
			}
			// An editor that is started from a desktop has another PATH than a shell.
			set := map[string]string{"PATH": os.Getenv("PATH")}
			maps.Copy(set, c.DefaultEnv)
			for _, pair := range variables {
				name, value, ok := strings.Cut(pair, "=")
				if !ok || name == "" {
					return fmt.Errorf("--env %q is no NAME=VALUE", pair)
				}
				if editor.IsPlainSecret(name, value) {
					return fmt.Errorf("%s would stand in the settings for everybody to read; give a reference that the editor fills in, "+
						"such as ${%s}", name, name)
				}
				set[name] = value
			}
			words := append(verbs(own), "start")
			if level := cmd.Flag("log-level"); level != nil && level.Changed {
				words = append(words, "--log-level", level.Value.String())
			}
			change, err := client.Enable(path, editor.Server{Command: executable, Args: words, Env: set})
			if err != nil {
				return err
			}
			return apply(cmd, change, client.Title+" has the tools when it is started next")
		}),
	}
	cmd.Flags().StringArrayVarP(&variables, "env", "e", nil, "a variable for the server, NAME=VALUE; may be repeated")
	where.add(cmd)
	return cmd
}

// apply writes a change, and says so.
func apply(cmd *cobra.Command, change editor.Change, then string) error {
	if change.None() {
		_, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s is as it should be already\n", display.Line(change.Path))
		return err
	}
	if err := change.Apply(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s is changed; %s\n", display.Line(change.Path), then)
	return err
}

func disableCommand(own *cobra.Command) *cobra.Command {
	var where place
	cmd := &cobra.Command{
		Use: "disable EDITOR", Short: "Take this program out of an editor's settings", Args: cobra.ExactArgs(1),
		ValidArgsFunction: completeEditors,
		RunE: shown(func(cmd *cobra.Command, args []string) error {
			client, path, err := where.client(own, args[0])
			if err != nil {
				return err
			}
			change, err := client.Disable(path)
			if err != nil {
				return err
			}
			return apply(cmd, change, "nothing of this program is left in it")
		}),
	}
	where.add(cmd)
	return cmd
}

func listCommand(own *cobra.Command) *cobra.Command {
	var where place
	cmd := &cobra.Command{
		Use: "list [EDITOR]", Short: "List the MCP servers in editors' settings", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: completeEditors,
		RunE: shown(func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, c := range editor.Clients() {
					args = append(args, c.Name)
				}
			}
			var wrong error
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, name := range args {
				client, path, err := where.client(own, name)
				if err == nil {
					err = listed(table, client, path)
				}
				wrong = errors.Join(wrong, err)
			}
			return errors.Join(wrong, table.Flush())
		}),
	}
	where.add(cmd)
	return cmd
}

func listed(table *tabwriter.Writer, client editor.Client, path string) error {
	servers, err := client.Servers(path)
	for _, s := range servers {
		mark := ""
		if s.Ours {
			mark = "this program"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", client.Name, display.Line(s.Name), display.Line(s.Command), mark)
	}
	return err
}
