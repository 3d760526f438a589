package a2a

import (
	"context"
	"fmt"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// pushFlags say whom a server tells of a task, and how it shows that it is who it is.
type pushFlags struct {
	env                                *cli.Environment
	url, id, token, scheme, credential string
}

// addPush adds the flags of a push notification config. address is the flag for the address; "" where it is an
// argument.
func addPush(env *cli.Environment, cmd *cobra.Command, address string) *pushFlags {
	p := &pushFlags{env: env}
	f := cmd.Flags()
	if address != "" {
		f.StringVar(&p.url, address, "", "an address that the server tells the news of the task")
	}
	f.StringVar(&p.id, "push-id", "", "the id of the push notification config")
	f.StringVar(&p.token, "push-token", "", "what the news are to carry: env:NAME or file:PATH")
	f.StringVar(&p.scheme, "push-scheme", "Bearer", "the scheme of --push-credential")
	f.StringVar(&p.credential, "push-credential", "", "what Authorization is to hold: env:NAME, file:PATH")
	return p
}

// config returns the config; nil where none is wanted.
func (p *pushFlags) config() (*wire.PushConfig, error) {
	if p.url == "" {
		return nil, nil
	}
	config := &wire.PushConfig{URL: p.url, ID: p.id}
	var err error
	if p.token != "" {
		if config.Token, err = readReference(p.env, "--push-token", p.token); err != nil {
			return nil, err
		}
	}
	if p.credential != "" {
		config.Auth = &wire.PushAuthInfo{Scheme: p.scheme}
		if config.Auth.Credentials, err = readReference(p.env, "--push-credential", p.credential); err != nil {
			return nil, err
		}
	}
	return config, nil
}

func pushCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use: "push", Short: "Have the server push the news of a task to an address",
		Example: `  a2a-acp tasks push list localhost:8642 0199f6…
  a2a-acp tasks push add localhost:8642 0199f6… https://hook.example/a2a
  a2a-acp tasks push remove localhost:8642 0199f6… CONFIG`,
		Args: cli.VerbsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(pushList(env), pushShow(env), pushAdd(env), pushRemove(env))
	return cmd
}

// pushed is a push notification config for scripts. What the server keeps to show who it is, is not shown.
type pushed struct {
	ID     string      `json:"id"`
	TaskID wire.TaskID `json:"taskId"`
	URL    string      `json:"url"`
	Scheme string      `json:"scheme,omitempty"`
	Token  bool        `json:"token"` // there is one
}

func pushedOf(c *wire.PushConfig) pushed {
	p := pushed{ID: c.ID, TaskID: c.TaskID, URL: c.URL, Token: c.Token != ""}
	if c.Auth != nil {
		p.Scheme = c.Auth.Scheme
	}
	return p
}

// pushVerb returns a verb about the configs of a task.
func pushVerb(env *cli.Environment, cmd *cobra.Command,
	do func(context.Context, *a2aclient.Client, cli.Format, []string) error) *cobra.Command {
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	s := addServer(env, cmd)
	format := cli.AddFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := s.within(cmd.Context())
		defer stop()
		client, err := s.connect(ctx, args[0])
		if err != nil {
			return err
		}
		return do(ctx, client, *format, args[1:])
	}
	return cmd
}

// writePushed prints configs.
func writePushed(env *cli.Environment, configs ...*wire.PushConfig) {
	table := cli.Table{Head: []string{"CONFIG", "URL"}, Whole: true}
	for _, config := range configs {
		table.Add(display.Line(config.ID), display.Line(config.URL))
	}
	table.Write(env.Stdout)
}

func pushShow(env *cli.Environment) *cobra.Command {
	return pushVerb(env, &cobra.Command{Use: "show URL TASK CONFIG", Short: "One of those who are told", Args: cobra.ExactArgs(3)},
		func(ctx context.Context, client *a2aclient.Client, format cli.Format, args []string) error {
			config, err := client.Push(ctx, wire.TaskID(args[0]), args[1])
			if err != nil {
				return failure(err)
			}
			if format != cli.FormatTable {
				return cli.WriteData(env.Stdout, format, pushedOf(config))
			}
			writePushed(env, config)
			return nil
		})
}

func pushList(env *cli.Environment) *cobra.Command {
	return pushVerb(env, &cobra.Command{Use: "list URL TASK", Short: "Who is told of a task", Args: cobra.ExactArgs(2)},
		func(ctx context.Context, client *a2aclient.Client, format cli.Format, args []string) error {
			configs, err := client.Pushes(ctx, wire.TaskID(args[0]))
			if err != nil {
				return failure(err)
			}
			if format == cli.FormatTable {
				writePushed(env, configs...)
				return nil
			}
			list := []pushed{}
			for _, config := range configs {
				list = append(list, pushedOf(config))
			}
			return cli.WriteData(env.Stdout, format, list)
		})
}

func pushAdd(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{Use: "add URL TASK ADDRESS", Short: "Have an address told of a task", Args: cobra.ExactArgs(3)}
	flags := addPush(env, cmd, "")
	return pushVerb(env, cmd, func(ctx context.Context, client *a2aclient.Client, format cli.Format, args []string) error {
		flags.url = args[1]
		config, err := flags.config()
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		if strings.TrimSpace(flags.url) == "" {
			return cli.Fail(exit.Usage, fmt.Errorf("want an address"))
		}
		config.TaskID = wire.TaskID(args[0])
		if config, err = client.AddPush(ctx, config); err != nil {
			return failure(err)
		}
		if format != cli.FormatTable {
			return cli.WriteData(env.Stdout, format, pushedOf(config))
		}
		fmt.Fprintln(env.Stdout, display.Line(config.ID))
		return nil
	})
}

func pushRemove(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{Use: "remove URL TASK CONFIG", Short: "Have an address told no more", Args: cobra.ExactArgs(3)}
	return pushVerb(env, cmd,
		func(ctx context.Context, client *a2aclient.Client, _ cli.Format, args []string) error {
			return failure(client.RemovePush(ctx, wire.TaskID(args[0]), args[1]))
		})
}
