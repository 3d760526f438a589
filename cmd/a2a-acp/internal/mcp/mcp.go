// Package mcp is the verb mcp: the tools over MCP on standard input and output.
package mcp

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/resident"
	"github.com/a2a-acp/a2a-acp/internal/toolsocket"
)

// Command returns the verb mcp.
func Command(env *cli.Environment) *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:   "mcp --attach SOCKET",
		Short: "Offer the tools of a running bridge over MCP",
		Long: `mcp --attach is what a bridge has the agent start: an MCP server on standard
input and output that passes every call to the bridge, which decides,
records and runs it. The token for it is in the environment.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if socket == "" {
				return cli.Fail(exit.Usage,
					errors.New("mcp: --attach SOCKET is needed; a bridge gives it to the agent in session/new"))
			}
			token := env.Getenv(toolsocket.TokenVariable)
			stdout, err := cli.ClaimStdout(env)
			if err != nil {
				return cli.Fail(exit.Host, err)
			}
			defer stdout.Close()
			defer time.AfterFunc(time.Second, resident.GiveBack).Stop() // the agent has its tools by then
			err = toolsocket.Attach(cmd.Context(), toolsocket.AttachOptions{
				Socket: socket, Token: token, Stdin: env.Stdin, Stdout: stdout, Version: env.Version,
			})
			switch {
			case err == nil:
				return nil
			case cmd.Context().Err() != nil, errors.Is(err, toolsocket.ErrBridgeGone):
				// Sessions end so every day; the agent is not to worry anybody with it.
				return cli.Silent(exit.Interrupt)
			}
			return cli.Fail(exit.Host, err)
		},
	}
	cmd.Flags().StringVar(&socket, "attach", "", "the bridge's socket")
	return cmd
}
