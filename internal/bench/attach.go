package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/toolsocket"
)

const (
	attaches  = 21
	maxAttach = 15 // ms that our MCP server may add to session/new: agents wait for it
)

// attach takes the time from the start of `mcp --attach` to the answer that lists its tools.
func attach(bin, dir string) row {
	r := within("MCP server, start to tools listed", "ms", maxAttach)
	var taken []float64
	for range attaches {
		ms, err := attachOnce(bin, dir)
		if err != nil {
			return r.unmeasured(err)
		}
		taken = append(taken, ms)
	}
	return r.measured(median(taken), 0, fmt.Sprintf("%d starts", attaches))
}

func attachOnce(bin, dir string) (ms float64, err error) {
	door, err := toolsocket.Listen(toolsocket.ListenOptions{
		Tools: oneTool{}, Dir: dir, Say: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, door.Close()) }()
	cmd := exec.Command(bin, "mcp", "--attach", door.Socket())
	cmd.Env = append(os.Environ(), toolsocket.TokenVariable+"="+door.Token())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	return timed(func() error {
		if err := cmd.Start(); err != nil {
			return err
		}
		return errors.Join(listTools(stdin, stdout), stdin.Close(), cmd.Wait())
	})
}

// listTools is the beginning of every MCP session, as agents have it.
func listTools(to io.Writer, from io.Reader) error {
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
	if _, err := io.WriteString(to, begin); err != nil {
		return err
	}
	for lines := bufio.NewScanner(from); lines.Scan(); {
		if strings.Contains(lines.Text(), `"id":2`) {
			if !strings.Contains(lines.Text(), `"bench"`) {
				return fmt.Errorf("the tools are not listed: %s", lines.Text())
			}
			return nil
		}
	}
	return errors.New("the server ended without an answer")
}

// oneTool is what the server lists.
type oneTool struct{}

// List implements mcpserver.Tools.
func (oneTool) List(context.Context, *mcpserver.Client) (*mcpserver.Catalogue, error) {
	return mcpserver.NewCatalogue([]mcpserver.Tool{{Name: "bench", InputSchema: json.RawMessage(`{"type":"object"}`)}}), nil
}

// Call implements mcpserver.Tools.
func (oneTool) Call(context.Context, mcpserver.Call) (mcpserver.CallResult, error) {
	return mcpserver.CallResult{}, mcpserver.ErrUnknownTool
}
