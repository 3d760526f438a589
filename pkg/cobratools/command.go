package cobratools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// Command returns the command that makes tools of the others. Add it to the program's root.
func Command(c Config) *cobra.Command {
	if c.CommandName == "" {
		c.CommandName = "mcp"
	}
	own := &cobra.Command{
		Use: c.CommandName, Short: "Offer these commands as tools to MCP clients",
		// What the program does before its commands is not meant for a stream that a protocol is spoken on.
		PersistentPreRun:  func(*cobra.Command, []string) {},
		PersistentPostRun: func(*cobra.Command, []string) {},
	}
	var level string
	own.PersistentFlags().StringVar(&level, "log-level", "", "what is logged to standard error: debug, info, warn or error")
	served := func(cmd *cobra.Command) (*server, error) { return c.server(own, level, cmd) }
	own.AddCommand(startCommand(served), streamCommand(served), toolsCommand(served),
		enableCommand(c, own), disableCommand(own), listCommand(own))
	return own
}

// server is the program as a server of its own commands.
type server struct {
	config   Config
	commands []command
	program  string // the base name of its file
	version  string
	log      *slog.Logger
}

func (c Config) server(own *cobra.Command, level string, cmd *cobra.Command) (*server, error) {
	executable, err := self()
	if err != nil {
		return nil, err
	}
	options := slog.HandlerOptions{}
	if c.SloggerOptions != nil {
		options = *c.SloggerOptions
	}
	if level != "" {
		var chosen slog.Level
		if err := chosen.UnmarshalText([]byte(level)); err != nil {
			return nil, fmt.Errorf("--log-level %q: want debug, info, warn or error", level)
		}
		options.Level = chosen
	}
	s := &server{config: c, program: filepath.Base(executable), version: own.Root().Version,
		log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &options))}
	var warnings []string
	s.commands, warnings = c.commands(own, executable)
	for _, warning := range warnings {
		s.log.Warn("something is left out", "why", warning)
	}
	if len(s.commands) == 0 {
		return nil, errors.New("no command is chosen, so there is no tool")
	}
	return s, nil
}

// self is the file of this program.
func self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// wrapped reports whether there is something around the calls of a command.
func (s *server) wrapped() bool {
	return slices.ContainsFunc(s.commands, func(c command) bool { return c.around != nil })
}

func startCommand(served func(*cobra.Command) (*server, error)) *cobra.Command {
	return &cobra.Command{
		Use: "start", Short: "Serve the tools on standard input and output", Args: cobra.NoArgs,
		Long: `start is an MCP server on standard input and output, which an MCP client starts.

Where a2a-acp is installed, it serves: calls are decided by your rules, run in
its sandbox and recorded. Where it is not, calls run with all your rights.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := served(cmd)
			if err != nil {
				return err
			}
			return s.start(cmd.Context(), os.Stdin)
		},
	}
}

// start serves one client on standard input and output. Nothing else that this process prints gets there.
func (s *server) start(ctx context.Context, in *os.File) error {
	out := os.Stdout
	os.Stdout = os.Stderr
	path := guard()
	if path == "" {
		s.log.Warn(unguarded)
		m, err := mcpserver.New(mcpserver.Options{Tools: newAlone(s.commands), Version: s.version})
		if err != nil {
			return err
		}
		return m.ServeStdio(ctx, mcpserver.StdioOptions{In: in, Out: out})
	}
	words, err := s.guarded(ctx, path)
	if err != nil {
		return err
	}
	s.log.Debug("guarded", "by", words)
	if !s.wrapped() {
		return fmt.Errorf("start %s: %w", path, syscall.Exec(path, words, os.Environ()))
	}
	return s.relay(ctx, words, in, out)
}

// relay has the guard serve behind what stands around calls.
func (s *server) relay(ctx context.Context, words []string, in io.Reader, out io.Writer) error {
	g, err := startGuard(ctx, words)
	if err != nil {
		return err
	}
	r := newRelay(ndjson.NewWriter(out), ndjson.NewWriter(g.in))
	for i := range s.commands {
		r.commands[mcpserver.ToolName(s.commands[i].tool.ID)] = &s.commands[i]
	}
	err = r.run(ctx, in, g.out, g.in.Close)
	return errors.Join(err, g.Wait())
}

// guardProcess is the guard as an MCP server of this process alone. It ends with its input, or with the context that it
// was started with; Wait for it.
type guardProcess struct {
	*exec.Cmd
	in  io.WriteCloser
	out io.Reader
}

func startGuard(ctx context.Context, words []string) (*guardProcess, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * grace
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &guardProcess{cmd, in, out}, cmd.Start()
}

func toolsCommand(served func(*cobra.Command) (*server, error)) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "tools", Short: "Write the tools, as MCP clients see them, to a file", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := served(cmd)
			if err != nil {
				return err
			}
			list := newAlone(s.commands).catalogue.Tools
			for i := range list {
				list[i].Title = "" // it is among the annotations
			}
			data, err := json.MarshalIndent(list, "", "  ")
			if err != nil {
				return err
			}
			if data = append(data, '\n'); to == "-" {
				_, err = cmd.OutOrStdout().Write(data)
				return err
			}
			const mode = 0o644 // it holds nothing that --help does not say
			if err := atomicfile.Write(to, data, mode); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.ErrOrStderr(), display.Count(len(s.commands), "tool is in ", "tools are in ")+to)
			return err
		},
	}
	cmd.Flags().StringVarP(&to, "output", "o", "mcp-tools.json", "the file; - for standard output")
	return cmd
}
