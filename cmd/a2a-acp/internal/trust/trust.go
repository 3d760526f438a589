// Package trust is the verb trust: which workspaces may bring tools and rules of their own.
package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// Command returns the verb trust.
func Command(env *cli.Environment) *cobra.Command {
	var list, revoke bool
	cmd := &cobra.Command{
		Use:   "trust DIR | FILE",
		Short: "Let a workspace's own files count, or a file's tools have your secrets",
		Long: `A repository can bring .a2a-acp/auto_approval_policies.yaml, governors.yaml
and tools.yaml. Until you trust them, only the rejecting rules count and the
rest is not loaded: otherwise the author of the repository would choose what
is allowed and what runs.

trust shows what DIR brings, or what changed in it, and asks. After a yes
exactly these bytes count, in sessions that begin in DIR. The rules are
combined with yours: reject is stronger than ask, and ask than approve. The
tools are added to yours and replace none. The scripts of the workspace that
a tool names are included. A file that changes is no longer trusted, until
you have seen the change.

Agents have settings in a repository, too. Where these have an agent start
programs, load code or send what is said elsewhere, nobody would be asked: no
session begins there until you trust them. Programs that they name are not
included.

A FILE of tools that --tools or A2A_TOOLS_CONFIG names is used, but it may
be anybody's. Its tools get none of your secrets, variables, files, outputs
of commands and grants, until you have seen what they ask for and said yes.
Files in ~/.config/a2a-acp need no trust.

It needs a terminal that no agent has started. A running session keeps what
it began with, except that a change of the bridge's own directory counts at
once.`,
		Example: `  a2a-acp trust .
  a2a-acp trust ./tools.yaml
  a2a-acp trust --list
  a2a-acp trust --list --json | jq -r '.[] | select(.changed != []).dir'
  a2a-acp trust --revoke ~/src/project`,
		ValidArgsFunction: completeTrust(env, &revoke),
	}
	f := cli.AddFormat(cmd)
	cmd.Flags().BoolVar(&list, "list", false, "instead, list what is trusted")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "instead, take back what is trusted of DIR")
	cmd.MarkFlagsMutuallyExclusive("list", "revoke")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case list && len(args) > 0:
			return cli.Fail(exit.Usage, errors.New("--list takes no directory"))
		case list:
			return listTrust(env, *f)
		case len(args) != 1:
			return cli.Fail(exit.Usage,
				errors.New("which directory? a2a-acp trust DIR; a2a-acp trust --list shows those that are trusted"))
		case revoke:
			return revokeTrust(cmd.Context(), env, args[0])
		}
		return giveTrust(cmd.Context(), env, args[0])
	}
	return cmd
}

// giveTrust shows what a workspace brings, asks, and pins what was shown. There is no --yes: what is
// trusted must have been seen.
func giveTrust(ctx context.Context, env *cli.Environment, dir string) (err error) {
	if err := cli.CheckAtTerminal(env, "trusting"); err != nil {
		return err
	}
	o := env.AppOptions(nil, nil)
	commands, err := cli.Commands(env)
	if err != nil {
		return err
	}
	root, brought, err := readBrought(o.Trust(), dir, commands)
	switch {
	case len(yamldoc.List(err)) > 0:
		return cli.Fail(exit.Usage, fmt.Errorf("what %s brings cannot be read, so it cannot be trusted:\n%w",
			display.Line(root), err))
	case err != nil:
		return err
	case brought.Nothing():
		env.Say(fmt.Sprintf("%s brings nothing of its own: there is none of %s, and nothing that agents "+
			"go by without asking", display.Line(root), strings.Join(config.ProjectFiles(), ", ")))
		return nil
	case brought.Asks() == 0 && brought.IsFile():
		env.Say(fmt.Sprintf("no tool of %s asks for anything of yours, so there is nothing to trust",
			display.Line(root)))
		return nil
	case brought.Known && !brought.Changed():
		env.Say(fmt.Sprintf("%s is trusted as it is, since %s", display.Line(root),
			brought.Before.Since.Format(time.DateOnly)))
		return nil
	}
	writeBrought(env.Stderr, brought)
	switch means, err := meansIt(ctx, env, brought); {
	case err != nil:
		return err
	case !means:
		env.Say("nothing is changed")
		return cli.Silent(exit.Denied)
	}
	if err := cli.Confirm(ctx, env); err != nil {
		return err
	}
	store, err := app.OpenTrust(o)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Trust(ctx, brought.Pins(env.Approver("cli"))); err != nil {
		return cli.Fail(exit.Host, err)
	}
	env.Say("trusted as shown; after a change it is not trusted, until you run a2a-acp trust again")
	return nil
}

// readBrought reads what a directory or a file brings that somebody names.
func readBrought(o trust.Options, name string, commands *command.Catalogue) (
	root string, b *trust.WorkspaceFiles, err error,
) {
	if root, err = trust.FileName(o, name); err == nil && root == "" {
		if root, err = trust.Root(o, name); err == nil {
			b, err = trust.ReadWorkspace(o, root, commands)
			return root, b, orHost(err)
		}
	} else if err == nil {
		b, err = trust.ReadFile(o, root, commands)
		return root, b, orHost(err)
	}
	return root, nil, cli.Fail(exit.Usage, err)
}

// orHost gives an error that is not about what stands in a file the exit code of the host's.
func orHost(err error) error {
	if err == nil || len(yamldoc.List(err)) > 0 {
		return err
	}
	return cli.Fail(exit.Host, err)
}

// shortText is how many lines of text are shown without being asked for.
const shortText = 40

// meansIt asks. What is new must have been shown before a yes counts: a short text is shown at once, a long one to whoever
// wants to read it, or says yes.
func meansIt(ctx context.Context, env *cli.Environment, b *trust.WorkspaceFiles) (bool, error) {
	unread := fullText(b, isUnread)
	lines := strings.Count(unread, "\n")
	if lines <= shortText {
		fmt.Fprint(env.Stderr, unread)
		unread = ""
	}
	for {
		if unread != "" {
			fmt.Fprintf(env.Stderr, "\nThe full text has %d lines. It is shown before a yes counts.\n", lines)
		}
		line, err := env.Ask(ctx, "\nTrust exactly this? [y/N, or f for the full text] ")
		switch {
		case errors.Is(err, cli.ErrEnded):
			return false, nil
		case err != nil:
			return false, err
		}
		switch strings.ToLower(line) {
		case "y", "yes":
			if unread == "" {
				return true, nil
			}
			fmt.Fprint(env.Stderr, unread)
			unread = ""
		case "f", "full":
			fmt.Fprint(env.Stderr, fullText(b, nil))
			unread = ""
		default:
			return false, nil
		}
	}
}

func revokeTrust(ctx context.Context, env *cli.Environment, dir string) (err error) {
	if err := cli.CheckToTighten(); err != nil {
		return err
	}
	o := env.AppOptions(nil, nil)
	list, err := trust.List(o.Trust())
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	root, ok := trustedAs(o.Trust(), list, dir)
	if !ok {
		return cli.Fail(exit.Usage, fmt.Errorf("%s: %w; a2a-acp trust --list shows what is",
			display.Line(dir), trust.ErrNotTrusted))
	}
	store, err := app.OpenTrust(o)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Revoke(ctx, root, env.Approver("cli")); err != nil {
		return cli.Fail(exit.Host, err)
	}
	env.Say(fmt.Sprintf("%s is a stranger's again", display.Line(root)))
	return nil
}

// trustedAs finds the directory that was meant, also one that is gone.
func trustedAs(o trust.Options, list []trust.Directory, dir string) (string, bool) {
	names := []string{dir}
	if path, err := trust.FileName(o, dir); err == nil && path != "" {
		names = append(names, path)
	} else if !filepath.IsAbs(dir) {
		names = append(names, filepath.Join(o.Dir, dir))
	}
	if root, err := trust.Root(o, dir); err == nil || !errors.Is(err, fs.ErrNotExist) && root != "" {
		names = append(names, root)
	}
	for _, name := range names {
		for _, d := range list {
			if d.Dir == strings.TrimSuffix(name, "/") {
				return d.Dir, true
			}
		}
	}
	return "", false
}

// shownTrust is a directory in `trust --list -o json`.
type shownTrust struct {
	Dir     string            `json:"dir"`
	Since   time.Time         `json:"since"`
	By      string            `json:"by"`
	Files   map[string]string `json:"files"` // SHA-256 by name
	Scripts map[string]string `json:"scripts"`
	Changed []string          `json:"changed"` // what is not as it was trusted
}

func showTrust(d trust.Directory) shownTrust {
	s := shownTrust{
		Dir: display.Line(d.Dir), Since: d.Since, By: display.Line(d.By),
		Files: map[string]string{}, Scripts: map[string]string{}, Changed: []string{},
	}
	for name, pin := range d.Files {
		s.Files[display.Line(name)] = pin.SHA256
	}
	for name, hash := range d.Scripts {
		s.Scripts[display.Line(name)] = hash
	}
	for _, name := range d.Changed(config.ProjectFiles()) {
		s.Changed = append(s.Changed, display.Line(name))
	}
	return s
}

func listTrust(env *cli.Environment, f cli.Format) error {
	list, err := trust.List(env.AppOptions(nil, nil).Trust())
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	shown := make([]shownTrust, len(list))
	out := cli.Table{Head: []string{"SINCE", "FILES", "SCRIPTS", "CHANGED", "DIRECTORY"}}
	for i, d := range list {
		s := showTrust(d)
		shown[i] = s
		changed := "no"
		if len(s.Changed) > 0 {
			changed = strings.Join(s.Changed, " ")
		}
		out.Add(s.Since.Format(time.DateOnly), fmt.Sprint(len(s.Files)), fmt.Sprint(len(s.Scripts)), changed,
			env.Short(s.Dir))
	}
	switch {
	case f != cli.FormatTable:
		return cli.WriteData(env.Stdout, f, shown)
	case len(list) == 0:
		env.Say("nothing is trusted")
	default:
		out.Write(env.Stdout)
	}
	return nil
}

// completeTrust completes directories; of --revoke those that are trusted.
func completeTrust(env *cli.Environment, revoke *bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) > 0:
			return nil, cobra.ShellCompDirectiveNoFileComp
		case !*revoke:
			return nil, cobra.ShellCompDirectiveDefault
		}
		var dirs []cobra.Completion
		list, _ := trust.List(env.AppOptions(nil, nil).Trust())
		for _, d := range list {
			dirs = append(dirs, d.Dir)
		}
		return dirs, cobra.ShellCompDirectiveNoFileComp
	}
}
