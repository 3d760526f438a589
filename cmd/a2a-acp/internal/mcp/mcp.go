// Package mcp is the verb mcp: the tools over MCP on standard input and output.
package mcp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/resident"
	"github.com/a2a-acp/a2a-acp/internal/toolsocket"
)

// flags are what the verb takes.
type flags struct {
	socket          string
	tools, policies []string
	options         app.MCPOptions
}

// Command returns the verb mcp.
func Command(env *cli.Environment) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer the tools to an MCP client",
		Long: `mcp is an MCP server on standard input and output, for any client that starts
one: Claude Desktop, Cursor, VS Code and others. It offers the tools of your
tools files. Each call is checked, decided by your rules, run in the sandbox
and recorded, as everywhere.

Where the rules ask, the client asks its person, if it can (elicitation), and
the question waits for a2a-acp approvals at a terminal, too. The first answer
holds.

Calls are made in --workspace, else in the one directory that the client says
its person works in, else in the current one.

mcp --attach is what a bridge has its agent start: it passes every call to the
bridge. The token for it is in the environment.`,
		Example: `  a2a-acp mcp --workspace ~/project
  a2a-acp mcp --tools tools.yaml --expose web_request --prefix work_
  a2a-acp mcp --only 'git_*' --only recent_changes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.socket != "" {
				return attach(cmd.Context(), env, f.socket)
			}
			return serve(cmd.Context(), env, f)
		},
	}
	cli.AddSources(cmd, &f.tools, &f.policies)
	cmd.Flags().StringVar(&f.options.Workspace, "workspace", "", "the directory that calls are made in")
	_ = cmd.MarkFlagDirname("workspace")
	cmd.Flags().StringArrayVar(&f.options.Expose, "expose", nil, "a shipped tool that is offered, too; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("expose", cli.CompleteTools(env, &f.tools))
	cmd.Flags().StringArrayVar(&f.options.Only, "only", nil,
		"offer this tool alone, or those of a pattern such as 'git_*'; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("only", cli.CompleteTools(env, &f.tools))
	cmd.Flags().StringVar(&f.options.Prefix, "prefix", "", "what the names of the tools begin with")
	cmd.Flags().StringVar(&f.socket, "attach", "", "the socket of a running bridge, whose tools are offered instead")
	for _, other := range []string{"tools", "policies", "workspace", "expose", "only", "prefix"} {
		cmd.MarkFlagsMutuallyExclusive("attach", other)
	}
	return cmd
}

// serve offers our own tools.
func serve(ctx context.Context, env *cli.Environment, f flags) (err error) {
	options := env.AppOptions(f.tools, f.policies)
	if f.options.Workspace != "" {
		if f.options.Workspace, err = filepath.Abs(f.options.Workspace); err != nil {
			return cli.Fail(exit.Usage, err)
		}
	}
	stdout, err := cli.ClaimStdout(env)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	a, err := app.New(options)
	if err != nil {
		return errors.Join(cli.Fail(cli.StartCode(err), err), stdout.Close())
	}
	over, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cancel() // nothing goes on without its client
	if err = a.CheckMCP(f.options); err != nil {
		return errors.Join(cli.Fail(exit.Usage, err), a.Stop(over), stdout.Close())
	}
	if cli.IsTerminal(env.Stdin) {
		env.Say("an MCP client is to start this and to speak to it here; " +
			"a2a-acp editor enable enters it into a client's settings. Ctrl-C ends it")
	}
	if err = a.Start(ctx); err == nil {
		err = a.MCP(ctx, f.options, env.Stdin, stdout)
	}
	if ctx.Err() != nil {
		return errors.Join(cli.Silent(exit.Interrupt), a.Stop(over))
	}
	if err = errors.Join(err, a.Stop(over)); err != nil && !errors.Is(err, os.ErrClosed) {
		return cli.Fail(exit.Host, err)
	}
	return nil
}

// attach passes every call to a bridge.
func attach(ctx context.Context, env *cli.Environment, socket string) error {
	token := env.Getenv(toolsocket.TokenVariable)
	stdout, err := cli.ClaimStdout(env)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	defer stdout.Close()
	defer time.AfterFunc(time.Second, resident.GiveBack).Stop() // the agent has its tools by then
	err = toolsocket.Attach(ctx, toolsocket.AttachOptions{
		Socket: socket, Token: token, Stdin: env.Stdin, Stdout: stdout, Version: env.Version,
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, errors.Is(err, toolsocket.ErrBridgeGone):
		// Sessions end so every day; the agent is not to worry anybody with it.
		return cli.Silent(exit.Interrupt)
	}
	return cli.Fail(exit.Host, err)
}
