// Package secrets is the verb secrets: it sets and lists what tools may be given.
package secrets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/secret"
)

// Command returns the verb secrets.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "secrets",
		Short: "Keep the values that tools are given and nobody else sees",
		Long: `A secret is a value that a tool gets as a variable, without its being in any
of your files:

  environment_variables:
    API_KEY: {secret: API_KEY}

It is kept in the state directory (mode 0600), which no sandbox shows, or it
is the output of a command, such as a password manager. It is filled in
after the call was approved, for that process alone, and removed from what
the tool prints. Agents cannot set or remove secrets. The record says who
did, and the name.

The tools of your own files, and of a workspace that you trust, get what
they ask for. A file that --tools or A2A_TOOLS_CONFIG names, which may be
anybody's, must be trusted first: a2a-acp trust FILE.`,
		Args: cli.VerbsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(secretsListCommand(env), secretsSetCommand(env), secretsRemoveCommand(env))
	return cmd
}

// secretStore opens the store.
func secretStore(env *cli.Environment) (*secret.Store, error) {
	store, err := app.Secrets(env.AppOptions(nil, nil))
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	return store, nil
}

// secretKeeper opens the store to change it.
func secretKeeper(env *cli.Environment) (*app.SecretKeeper, error) {
	keeper, err := app.NewSecretKeeper(env.AppOptions(nil, nil), env.Approver("cli"))
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	return keeper, nil
}

// listedSecret is a secret in `secrets list`: never its value.
type listedSecret struct {
	Name string `json:"name"`
	// "a value", "the output of …", or "" for one that a tool wants and that is not set.
	From  string     `json:"from"`
	Set   *time.Time `json:"set,omitempty"`
	Tools []string   `json:"tools"` // that refer to it
	// Others refer to it, too: "webhook NAME", "governor NAME", "agent NAME", "principal NAME".
	Others []string `json:"others"`
}

func secretsListCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the secrets by name, and what gets them; never a value",
		Example: `  a2a-acp secrets list
  a2a-acp secrets list --json`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		list, err := listSecrets(env)
		if err != nil {
			return err
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, list)
		}
		if len(list) == 0 {
			env.Say("no secret is set, and nothing wants one")
			return nil
		}
		out := cli.Table{Head: []string{"SECRET", "IS", "SET", "FOR"}}
		for _, s := range list {
			from, when := s.From, ""
			if from == "" {
				from = "not set"
			}
			if s.Set != nil {
				when = s.Set.Local().Format(time.DateOnly)
			}
			out.Add(s.Name, display.Line(from), when, display.Line(strings.Join(slices.Concat(s.Tools, s.Others), ", ")))
		}
		out.Write(env.Stdout)
		return nil
	}
	return cmd
}

// listSecrets lists what is set, and what the files refer to and is not.
func listSecrets(env *cli.Environment) ([]listedSecret, error) {
	store, err := secretStore(env)
	if err != nil {
		return nil, err
	}
	set, err := store.List()
	if err != nil {
		return nil, cli.Fail(exit.Host, err)
	}
	loaded, err := cli.Load(env, nil, nil)
	if err != nil {
		return nil, err
	}
	byName := map[string]*listedSecret{}
	get := func(name string) *listedSecret {
		if byName[name] == nil {
			byName[name] = &listedSecret{Name: name, Tools: []string{}, Others: []string{}}
		}
		return byName[name]
	}
	for _, s := range set {
		l := get(s.Name)
		l.From, l.Set = s.From, &s.Set
	}
	for _, u := range loaded.SecretUsers() {
		l := get(u.Secret)
		if u.Kind == "tool" {
			l.Tools = append(l.Tools, u.Name)
		} else {
			l.Others = append(l.Others, u.Kind+" "+u.Name)
		}
	}
	list := []listedSecret{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, *byName[name])
	}
	return list, nil
}

func secretsSetCommand(env *cli.Environment) *cobra.Command {
	var command bool
	cmd := &cobra.Command{
		Use:   "set NAME [-- PROGRAM ARGS...]",
		Short: "Set a secret: typed without being shown, or read from standard input",
		Long: `set keeps a value under a name and replaces the previous one. It asks for
the value on the terminal without showing it, or reads all of standard
input, except for a line end at the end. The value is never an argument:
everybody on this machine sees those, and the shell keeps them in its
history.

With --command only the command is kept. It is run for each call, outside of
the sandbox, and its output is the value.`,
		Example: `  a2a-acp secrets set API_KEY
  a2a-acp secrets set API_KEY < key.txt
  a2a-acp secrets set API_KEY --command -- pass show api/key`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeSecrets(env),
	}
	cmd.Flags().BoolVar(&command, "command", false, "the value is what the command behind -- prints")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := cli.CheckPerson(); err != nil {
			return err
		}
		if strings.Contains(args[0], "=") {
			return cli.Fail(exit.Usage, errValueGiven)
		}
		if err := secret.CheckName(args[0]); err != nil {
			return cli.Fail(exit.Usage, fmt.Errorf("%s: %w", display.Line(args[0]), err))
		}
		entry := secret.Entry{Set: time.Now().UTC().Truncate(time.Second)}
		switch {
		case command && len(args) > 1:
			entry.Command = args[1:]
		case command:
			return cli.Fail(exit.Usage,
				errors.New("which command? a2a-acp secrets set NAME --command -- PROGRAM ARGS"))
		case len(args) > 1:
			return cli.Fail(exit.Usage, errValueGiven)
		default:
			value, err := readSecret(cmd.Context(), env, args[0])
			if err != nil && cmd.Context().Err() != nil {
				return cli.Fail(exit.Interrupt, err)
			}
			if err != nil {
				return cli.Fail(exit.Usage, err)
			}
			entry.Value = value
		}
		if err := cli.Confirm(cmd.Context(), env); err != nil {
			return err
		}
		keeper, err := secretKeeper(env)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, keeper.Close()) }()
		replaced, err := keeper.Set(cmd.Context(), args[0], entry)
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		if replaced {
			env.Say(args[0] + " has another value now; the next call gets it")
		} else {
			env.Say(fmt.Sprintf("%s is set; {secret: %s} names it: in environment_variables of a tool, auth of an HTTP source, "+
				"authentication of a webhook", args[0], args[0]))
		}
		return nil
	}
	return cmd
}

var errValueGiven = errors.New("a value is never an argument, since everybody on this machine sees those; " +
	"think of changing it, and type the new one when you are asked")

// readSecret reads a value from the terminal, without showing it, or from standard input.
func readSecret(ctx context.Context, env *cli.Environment, name string) (string, error) {
	value, err := cli.ReadHidden(ctx, env, "Value of "+name, secret.LongestValue)
	if err != nil {
		return "", err
	}
	return value, secret.CheckValue(value)
}

func secretsRemoveCommand(env *cli.Environment) *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME...",
		Aliases:           []string{"rm"},
		Short:             "Forget secrets",
		Example:           `  a2a-acp secrets remove API_KEY`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeSecrets(env),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := cli.CheckToTighten(); err != nil {
				return err
			}
			keeper, err := secretKeeper(env)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, keeper.Close()) }()
			var unknown []string
			for _, name := range args {
				was, err := keeper.Remove(cmd.Context(), name)
				if err != nil {
					return cli.Fail(exit.Host, err)
				}
				if !was {
					unknown = append(unknown, display.Line(name))
					continue
				}
				env.Say(name + " is removed; what refers to it gets no value from the next call on")
			}
			if len(unknown) > 0 {
				return cli.Fail(exit.Usage,
					fmt.Errorf("there is no secret %s; a2a-acp secrets list shows them",
						strings.Join(unknown, ", ")))
			}
			return nil
		},
	}
}

// completeSecrets completes the names that are set, and those that a tool refers to.
func completeSecrets(env *cli.Environment) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		list, err := listSecrets(env)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, s := range list {
			names = append(names, s.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
