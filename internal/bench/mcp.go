package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// Our MCP door beside the bare server of the protocol's own SDK for Go, over HTTP, in sessions of 2025-11-25: each in a
// process of its own, asked by turns by the same client, over connections that stay.
const (
	mcpRounds   = 21
	mcpCalls    = 100 // in a round
	mcpBash     = 101 // calls of bash
	mcpTools    = 200
	mcpSessions = 1000
	mcpStarts   = 21
)

// mcpRows measure what an MCP client waits for, and what its session costs.
func mcpRows(bin, self, dir string) []row {
	const against = "go-sdk's server"
	call := comparedRow("MCP: tools/call at the door alone", "ms", against, 1.25)
	list := comparedRow("MCP: tools/list of 200", "ms", against, 0.5)
	bash := comparedRow("MCP: confined, recorded bash over HTTP", "ms", "go-sdk's server, exec bash", 1.3)
	memory := comparedRow("MCP: 1,000 sessions, what they add", "MB", against, 1.5)
	start := within("MCP: mcp, start to tools listed", "ms", 60)
	return []row{
		mcpPair(call, self, dir, mcpRounds, mcpCalls, 1, "tools/call", `{"name":"tool_0","arguments":{"word":"hello"}}`),
		mcpPair(list, self, dir, mcpRounds, mcpCalls/10, mcpTools, "tools/list", `{}`),
		mcpBashCalls(bash, bin, self, dir),
		mcpMemory(memory, self, dir),
		mcpStart(start, bin, dir),
	}
}

// mcpPair asks both servers for the same, by turns.
func mcpPair(r row, self, dir string, rounds, calls, tools int, method, params string) row {
	ours, err := startMCP(dir, self, "-role", "mcp", fmt.Sprint(tools))
	if err != nil {
		return r.unmeasured(err)
	}
	defer ours.stop()
	theirs, err := startMCP(dir, self, "-role", "mcp-sdk", fmt.Sprint(tools))
	if err != nil {
		return r.unmeasured(err)
	}
	defer theirs.stop()
	return mcpTurns(r, ours, theirs, rounds, calls, method, params, params)
}

// mcpTurns takes the time of calls at two servers, a round at the one, and one at the other.
func mcpTurns(r row, ours, theirs *mcpProcess, rounds, calls int, method, params, theirParams string) row {
	var values, floors []float64
	one, err := ours.begin()
	other, err2 := theirs.begin()
	if err = errors.Join(err, err2); err != nil {
		return r.unmeasured(err)
	}
	for round := range rounds + 1 {
		taken, err := timed(func() error { return one.ask(calls, method, params) })
		if err != nil {
			return r.unmeasured(err)
		}
		floor, err := timed(func() error { return other.ask(calls, method, theirParams) })
		if err != nil {
			return r.unmeasured(fmt.Errorf("the floor: %w", err))
		}
		if round > 0 {
			values, floors = append(values, taken/float64(calls)), append(floors, floor/float64(calls))
		}
	}
	return r.measured(median(values), median(floors), fmt.Sprintf("%d × %d each", rounds, calls))
}

// mcpBashCalls calls a tool of the daemon itself, confined and on record, beside a handler that starts bash and no more.
func mcpBashCalls(r row, bin, self, dir string) row {
	home, err := os.MkdirTemp(dir, "mcp")
	if err != nil {
		return r.unmeasured(err)
	}
	config, work := filepath.Join(home, "config"), filepath.Join(home, "work")
	rules := filepath.Join(config, "rules.yaml")
	tools := filepath.Join(config, "tools.yaml")
	err = errors.Join(os.MkdirAll(config, 0o700), os.MkdirAll(work, 0o700), os.WriteFile(tools, []byte(benchTool), 0o600),
		os.WriteFile(rules, []byte(mcpRules), 0o600))
	if err != nil {
		return r.unmeasured(err)
	}
	ours, err := startMCP(filepath.Join(home, "state"), bin, "serve", "--no-auth", "--listen", "127.0.0.1:0", "--workspace", work,
		"--tools", tools, "--policies", rules)
	if err != nil {
		return r.unmeasured(err)
	}
	defer ours.stop()
	theirs, err := startMCP(dir, self, "-role", "mcp-sdk", "bash")
	if err != nil {
		return r.unmeasured(err)
	}
	defer theirs.stop()
	return mcpTurns(r, ours, theirs, mcpBash, 1, "tools/call", `{"name":"bench","arguments":{"name":"hello"}}`,
		`{"name":"tool_0","arguments":{"word":"hello"}}`)
}

const mcpRules = "version: 2\nauto_approval_policies: [{id: bench, applies_to: [bench], decision: {type: approve}}]\n"

// mcpMemory takes what sessions add to a server's resident memory, once it has given back what it does not need.
func mcpMemory(r row, self, dir string) row {
	added := func(role string) (float64, error) {
		p, err := startMCP(dir, self, "-role", role, "1")
		if err != nil {
			return 0, err
		}
		defer p.stop()
		before, err := p.memory()
		for n := 0; n < mcpSessions && err == nil; n++ {
			var s *mcpSession
			if s, err = p.begin(); err == nil {
				err = s.ask(1, "tools/list", `{}`)
			}
		}
		if err != nil {
			return 0, err
		}
		after, err := p.memory()
		return after - before, err
	}
	var values, floors []float64
	for range 3 {
		ours, err := added("mcp")
		if err != nil {
			return r.unmeasured(err)
		}
		theirs, err := added("mcp-sdk")
		if err != nil {
			return r.unmeasured(fmt.Errorf("the floor: %w", err))
		}
		values, floors = append(values, ours), append(floors, theirs)
	}
	return r.measured(median(values), median(floors), "3 each")
}

// mcpStart takes the time from the start of `mcp` to the answer that lists its tools.
func mcpStart(r row, bin, dir string) row {
	work, err := os.MkdirTemp(dir, "work")
	if err != nil {
		return r.unmeasured(err)
	}
	tools := filepath.Join(work, "tools.yaml")
	if err := os.WriteFile(tools, []byte(benchTool), 0o600); err != nil {
		return r.unmeasured(err)
	}
	var taken []float64
	for n := range mcpStarts + 1 {
		cmd := exec.Command(bin, "mcp", "--workspace", work, "--tools", tools)
		cmd.Env = append(os.Environ(), "A2A_STATE_DIR="+filepath.Join(dir, "mcp-state"))
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return r.unmeasured(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return r.unmeasured(err)
		}
		ms, err := timed(func() error { return errors.Join(cmd.Start(), listTools(in, out)) })
		if err = errors.Join(err, in.Close(), cmd.Wait()); err != nil {
			return r.unmeasured(err)
		}
		if n > 0 { // the first one finds the file not in memory, and makes the state directory
			taken = append(taken, ms)
		}
	}
	return r.measured(median(taken), 0, fmt.Sprintf("%d starts", mcpStarts))
}

// mcpProcess is a server in a process of its own.
type mcpProcess struct {
	cmd *exec.Cmd
	url string
	in  io.WriteCloser
	out *bufio.Reader
}

// startMCP starts a server whose first line has its URL.
func startMCP(state string, argv ...string) (*mcpProcess, error) {
	p := &mcpProcess{cmd: exec.Command(argv[0], argv[1:]...)}
	p.cmd.Env = append(os.Environ(), "A2A_STATE_DIR="+state)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	line, err := p.out.ReadBytes('\n')
	var first struct{ MCP string }
	if err == nil {
		err = json.Unmarshal(line, &first)
	}
	if p.url = first.MCP; err != nil {
		p.stop()
		return nil, fmt.Errorf("the first line is %q: %w", line, err)
	}
	return p, nil
}

func (p *mcpProcess) stop() {
	p.in.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // one that has ended needs none
	_ = p.cmd.Wait()                          // how it ends is not what is measured
}

// memory is the server's resident memory in megabytes, once it has given back what it does not need.
func (p *mcpProcess) memory() (float64, error) {
	if _, err := io.WriteString(p.in, "give back\n"); err != nil {
		return 0, err
	}
	if _, err := p.out.ReadBytes('\n'); err != nil {
		return 0, err
	}
	return resident(p.cmd.Process.Pid)
}

// mcpSession is a session of the client.
type mcpSession struct {
	url    string
	header http.Header
	client *http.Client
	last   int
}

func (p *mcpProcess) begin() (*mcpSession, error) {
	s := &mcpSession{url: p.url, client: &http.Client{Timeout: patience}, header: http.Header{"Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}}
	answer, err := s.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if err != nil {
		return nil, err
	}
	s.header.Set("Mcp-Session-Id", answer)
	_, err = s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s, err
}

// post sends a message, reads what comes back, and returns the session's name.
func (s *mcpSession) post(body string) (session string, err error) {
	r, err := http.NewRequest(http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header = s.header
	answer, err := s.client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && (answer.StatusCode >= 300 || strings.Contains(body, `"id"`) && !bytes.Contains(text, []byte(`"result":`)) ||
		bytes.Contains(text, []byte(`"isError":true`))) {
		err = fmt.Errorf("%s: %.500s", answer.Status, text)
	}
	return answer.Header.Get("Mcp-Session-Id"), err
}

// ask makes requests, one after the other.
func (s *mcpSession) ask(times int, method, params string) error {
	for range times {
		s.last++
		if _, err := s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.last, method, params)); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
	}
	return nil
}

// mcpSchema is what the tools of both servers take.
const mcpSchema = `{"type":"object","required":["word"],` +
	`"properties":{"word":{"type":"string","description":"What it is called with"}}}`

// benchTools are tools that say hello.
type benchTools struct{ catalogue *mcpserver.Catalogue }

// List implements mcpserver.Tools.
func (b benchTools) List(context.Context, *mcpserver.Client) (*mcpserver.Catalogue, error) {
	return b.catalogue, nil
}

// Call implements mcpserver.Tools.
func (benchTools) Call(context.Context, mcpserver.Call) (mcpserver.CallResult, error) {
	return mcpserver.CallResult{Content: "hello"}, nil
}

// serveOurMCP is the door alone, with so many tools.
func serveOurMCP(tools int, in io.Reader, out io.Writer) error {
	var list []mcpserver.Tool
	for n := range tools {
		list = append(list, mcpserver.Tool{Name: fmt.Sprintf("tool_%d", n), Description: mcpDescription,
			InputSchema: json.RawMessage(mcpSchema)})
	}
	server, err := mcpserver.New(mcpserver.Options{Tools: benchTools{mcpserver.NewCatalogue(list)}})
	if err != nil {
		return err
	}
	front := server.HTTP(mcpserver.HTTPOptions{})
	defer front.Close()
	return holdMCP(front, in, out)
}

const mcpDescription = "Says hello to whoever calls it, and does nothing else at all, however often it is called."

// serveTheirMCP is the SDK's server, as its examples make one; of "bash" the tool starts it.
func serveTheirMCP(what string, in io.Reader, out io.Writer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	handler := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil
	}
	tools := 1
	if what == "bash" {
		handler = func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var arguments struct{ Word string }
			if err := json.Unmarshal(r.Params.Arguments, &arguments); err != nil {
				return nil, err
			}
			cmd := exec.CommandContext(ctx, "bash", "-c", `printf '%s\n' "$0"`, arguments.Word)
			text, err := cmd.Output()
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, err
		}
	} else if _, err := fmt.Sscan(what, &tools); err != nil {
		return err
	}
	for n := range tools {
		server.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool_%d", n), Description: mcpDescription,
			InputSchema: json.RawMessage(mcpSchema)}, handler)
	}
	return holdMCP(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil), in, out)
}

// holdMCP serves until the input ends. A line of it has the process give back the memory that it does not need.
func holdMCP(handler http.Handler, in io.Reader, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: patience}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }() // ends with Close
	fmt.Fprintf(out, "{\"mcp\":\"http://%s/mcp\"}\n", listener.Addr())
	for lines := bufio.NewScanner(in); lines.Scan(); {
		time.Sleep(100 * time.Millisecond) // goroutines of requests end
		debug.FreeOSMemory()
		fmt.Fprintln(out)
	}
	server.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
