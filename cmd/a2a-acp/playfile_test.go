package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A play is a file that an editor and an agent both have. Each carries out its own lines, in order, and
// passes over those of the other:
//
//	editor> JSON         the editor writes the line (anything may stand there, JSON or not)
//	editor< JSON         the editor must read a line that fits next
//	editor meets JSON    it has read, or reads, a line that fits; what comes before that is for the lines after this one
//	editor closes        it closes the bridge's standard input
//	editor waits N       it takes N milliseconds, as people do
//	editor hesitates     it answers at once, or takes 0.3 to 3 seconds: whichever follows from the play
//	editor kills         it sends SIGKILL to the bridge; terms and hangs up send SIGTERM and SIGHUP
//	editor hears TEXT    it waits until the bridge has said TEXT on stderr since it last waited so
//	editor serves        it reads a terminal/create, runs what that says with its words unquoted in a shell, as some editors do,
//	                     prints the output, and answers; editor serves again runs the same once more
//	agent>, agent<, agent meets  likewise for the agent
//	agent says TEXT      on stderr
//	agent exits N        at once
//	agent raises N       a signal at itself
//	agent sleeps         until it is killed, with SIGTERM ignored
//	agent breeds FILE    it leaves a stubborn process behind (see stubborn)
//	agent runs COMMAND   a line of sh; the editor can do so, too
//	agent hooks JSON     it starts the hook that session/new's _meta gave it (Claude's), with that on its standard input,
//	                     and says what comes
//	agent tells JSON     what a plugin in opencode says, over the socket that its environment names; what comes is said on stderr
//	agent calls JSON     the tool {"name", "arguments"} over the MCP server that session/new gave; what comes is said on stderr
//
// An expected line fits when everything in it is in what was read; what was read may hold more. A string
// "$name" takes what stands in its place the first time, must be equal after that, and stands for that in
// lines that are written. "…" fits anything. ${NAME} is replaced by the environment's variable first.
type play struct {
	who   string
	lines []string
	names map[string]any
	in    *bufio.Reader
	kept  []string // read, and not met yet
	moods *rand.Rand
	out   io.WriteCloser
	own   func(verb, rest string) error // the verbs that only one of the two has
}

var variable = regexp.MustCompile(`\$\{[A-Z]+\}`)

func readPlay(who, file string) (*play, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &play{who: who, names: map[string]any{}}
	p.moods = rand.New(rand.NewPCG(uint64(crc32.ChecksumIEEE(data)), 0))
	text := variable.ReplaceAllStringFunc(string(data), func(name string) string { return os.Getenv(name[2 : len(name)-1]) })
	p.lines = strings.Split(text, "\n")
	return p, nil
}

func (p *play) run() error {
	for number, line := range p.lines {
		var err error
		switch who, rest, _ := strings.Cut(line, " "); who {
		case p.who + ">":
			err = p.write(strings.TrimLeft(rest, " "))
		case p.who + "<":
			err = p.read(strings.TrimLeft(rest, " "))
		case p.who:
			verb, rest, _ := strings.Cut(rest, " ")
			err = p.own(verb, rest)
		}
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", number+1, line, err)
		}
	}
	return nil
}

func (p *play) write(line string) error {
	var v any
	if json.Unmarshal([]byte(line), &v) == nil && strings.Contains(line, `"$`) {
		data, err := json.Marshal(p.fill(v))
		if err != nil {
			return err
		}
		line = string(data)
	}
	_, err := io.WriteString(p.out, line+"\n")
	return err
}

// fill puts what names stand for in their place.
func (p *play) fill(v any) any {
	switch v := v.(type) {
	case string:
		if known, ok := p.names[v]; ok {
			return known
		}
	case map[string]any:
		for key := range v {
			v[key] = p.fill(v[key])
		}
	case []any:
		for i := range v {
			v[i] = p.fill(v[i])
		}
	}
	return v
}

func (p *play) read(want string) error {
	line, err := p.next()
	if err != nil {
		return err
	}
	return p.check(want, line)
}

// next returns the line that was kept first, or reads one.
func (p *play) next() (string, error) {
	if len(p.kept) > 0 {
		line := p.kept[0]
		p.kept = p.kept[1:]
		return line, nil
	}
	return p.in.ReadString('\n')
}

// meet takes a line that fits from those that were kept, or those that come.
func (p *play) meet(want string) error {
	for i, line := range p.kept {
		if p.check(want, line) == nil {
			p.kept = slices.Delete(p.kept, i, i+1)
			return nil
		}
	}
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return err
		}
		if p.check(want, line) == nil {
			return nil
		}
		p.kept = append(p.kept, line)
	}
}

func (p *play) check(want, line string) error {
	var got, wanted any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		return fmt.Errorf("read %q: %w", line, err)
	}
	if where := p.misfit(wanted, got); where != "" {
		return fmt.Errorf("read %s\nwhich does not fit at %s", strings.TrimSpace(line), where)
	}
	return nil
}

// misfit tells where something that is wanted is missing; "" when it fits.
func (p *play) misfit(want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return " an object"
		}
		for key, value := range want {
			if where := p.misfit(value, object[key]); where != "" {
				return "." + key + where
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) < len(want) {
			return fmt.Sprintf(" a list of %d", len(want))
		}
		for i, value := range want {
			if where := p.misfit(value, list[i]); where != "" {
				return fmt.Sprintf("[%d]%s", i, where)
			}
		}
		return ""
	case string:
		text, isText := got.(string)
		switch known, ok := p.names[want]; {
		case want == "…" && got != nil:
			return ""
		case ok && known == got:
			return ""
		case !ok && strings.HasPrefix(want, "$") && got != nil:
			p.names[want] = got
			return ""
		case isText && strings.HasPrefix(want, "…") && strings.HasSuffix(want, "…") && strings.Contains(text, strings.Trim(want, "…")):
			return ""
		}
	}
	if want != got {
		return fmt.Sprintf(": want %v", want)
	}
	return ""
}

// fakeEditor is the command fake-editor FILE COMMAND [ARGS...]. It ends with the bridge's exit code, or
// with 99 when the play went otherwise.
func fakeEditor() {
	p, err := readPlay("editor", os.Args[1])
	if err != nil {
		exitPlay(err)
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		exitPlay(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		exitPlay(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		exitPlay(err)
	}
	if err := cmd.Start(); err != nil {
		exitPlay(err)
	}
	heard := make(chan string, 10_000)
	var hearing sync.WaitGroup
	hearing.Go(func() { // ends with the bridge and all that have its stderr
		defer close(heard)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(os.Stderr, lines.Text())
			heard <- lines.Text()
		}
	})
	p.in, p.out = bufio.NewReader(stdout), stdin
	served := ""
	p.own = func(verb, rest string) error {
		switch verb {
		case "meets":
			return p.meet(rest)
		case "serves":
			return p.serveTerminal(&served, rest == "again")
		case "hears":
			for line := range heard {
				if strings.Contains(line, rest) {
					return nil
				}
			}
			return errors.New("the bridge ended without saying it")
		case "waits":
			wait, err := time.ParseDuration(rest + "ms")
			time.Sleep(wait)
			return err
		case "hesitates":
			p.hesitate()
			return nil
		case "closes":
			return stdin.Close()
		case "runs":
			return shell(rest)
		case "kills":
			return cmd.Process.Kill()
		case "terms":
			return cmd.Process.Signal(syscall.SIGTERM)
		case "hangs":
			return cmd.Process.Signal(syscall.SIGHUP)
		}
		return errors.New("the editor cannot do that")
	}
	played := p.run()
	if played != nil {
		stdin.Close()
	}
	rest, _ := io.ReadAll(p.in)
	os.Stdout.Write(rest)
	hearing.Wait()
	err = cmd.Wait()
	if played != nil {
		exitPlay(fmt.Errorf("%w (the bridge: %s)", played, cmd.ProcessState))
	}
	if cmd.ProcessState.ExitCode() < 0 {
		fmt.Fprintln(os.Stderr, "the bridge:", err)
		os.Exit(98)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

func exitPlay(err error) {
	fmt.Fprintln(os.Stderr, "play:", err)
	os.Exit(99)
}

// fakeAgent is the command fake-agent FILE. After its last line it waits for the end of its input. play=FILE is the same;
// a file that an argument names belongs to who the agent is, and with another text it is another agent.
func fakeAgent() {
	p, err := readPlay("agent", strings.TrimPrefix(os.Args[1], "play="))
	if err != nil {
		exitPlay(err)
	}
	seen, tools := &mcpEntry{}, &agentTools{}
	defer tools.close()
	p.in, p.out = bufio.NewReader(io.TeeReader(os.Stdin, seen)), os.Stdout
	p.own = func(verb, rest string) error {
		switch verb {
		case "meets":
			return p.meet(rest)
		case "says":
			fmt.Fprintln(os.Stderr, rest)
		case "closes":
			return os.Stdout.Close()
		case "exits":
			var code int
			fmt.Sscan(rest, &code)
			os.Exit(code)
		case "raises":
			var signal int
			fmt.Sscan(rest, &signal)
			if err := syscall.Kill(os.Getpid(), syscall.Signal(signal)); err != nil {
				return err
			}
			select {}
		case "sleeps":
			sleep()
		case "breeds":
			return breed(rest)
		case "runs":
			return shell(rest)
		case "hooks":
			return seen.startHook(rest)
		case "tells":
			return tellHook(rest)
		case "calls":
			session, err := tools.connect(seen.server())
			if err != nil {
				return err
			}
			return callTool(session, rest)
		default:
			return errors.New("the agent cannot do that")
		}
		return nil
	}
	if err := p.run(); err != nil {
		exitPlay(fmt.Errorf("agent: %w", err))
	}
	_, _ = io.Copy(io.Discard, p.in)
}

// hesitate takes as long as a person does who answers, or none of it.
func (p *play) hesitate() {
	if p.moods.IntN(2) == 0 {
		return
	}
	time.Sleep(300*time.Millisecond + time.Duration(p.moods.Int64N(int64(2700*time.Millisecond))))
}

// serveTerminal runs what terminal/create asks for, or once more what it asked for.
func (p *play) serveTerminal(last *string, again bool) error {
	if !again {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return err
		}
		var frame struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Command string
				Args    []string
				Cwd     string
				Env     []any
			}
		}
		if err := json.Unmarshal([]byte(line), &frame); err != nil || frame.Method != "terminal/create" || frame.Params.Env != nil {
			return fmt.Errorf("read %s", line)
		}
		*last = strings.Join(append([]string{"cd " + frame.Params.Cwd + " &&", frame.Params.Command}, frame.Params.Args...), " ")
		defer p.write(`{"jsonrpc":"2.0","id":` + string(frame.ID) + `,"result":{"terminalId":"t"}}`)
	}
	cmd := exec.Command("sh", "-c", *last)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	fmt.Fprintln(os.Stderr, "the editor runs", *last, "and it ends with", cmd.Run())
	return nil
}

func shell(line string) error {
	cmd := exec.Command("sh", "-c", line)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// mcpEntry keeps what the agent reads, for the MCP server that session/new names last: ours.
type mcpEntry struct{ read strings.Builder }

func (e *mcpEntry) Write(b []byte) (int, error) { return e.read.Write(b) }

type mcpServer struct {
	Command string
	Args    []string
	Env     []struct{ Name, Value string }
}

func (e *mcpEntry) server() *mcpServer {
	var last *mcpServer
	for _, line := range strings.Split(e.read.String(), "\n") {
		var frame struct {
			Params struct {
				MCPServers []mcpServer `json:"mcpServers"`
			}
		}
		if json.Unmarshal([]byte(line), &frame) == nil && len(frame.Params.MCPServers) > 0 {
			last = &frame.Params.MCPServers[len(frame.Params.MCPServers)-1]
		}
	}
	return last
}

// startHook starts the agent's hook as Claude does, and says what came of it.
func (e *mcpEntry) startHook(event string) error {
	var told struct {
		Event string `json:"hook_event_name"`
	}
	if err := json.Unmarshal([]byte(event), &told); err != nil {
		return err
	}
	type hooks map[string][]struct {
		Hooks []struct {
			Command string
			Args    []string
		}
	}
	var last hooks
	for _, line := range strings.Split(e.read.String(), "\n") {
		var frame struct {
			Params struct {
				Meta struct {
					ClaudeCode struct {
						Options struct{ Settings struct{ Hooks hooks } }
					} `json:"claudeCode"`
				} `json:"_meta"`
			}
		}
		if json.Unmarshal([]byte(line), &frame) == nil && frame.Params.Meta.ClaudeCode.Options.Settings.Hooks != nil {
			last = frame.Params.Meta.ClaudeCode.Options.Settings.Hooks
		}
	}
	of := last[told.Event]
	if len(of) == 0 || len(of[len(of)-1].Hooks) != 1 {
		return fmt.Errorf("no hook for %s", told.Event)
	}
	hook := of[len(of)-1].Hooks[0]
	cmd := exec.Command(hook.Command, hook.Args...)
	cmd.Args[0] = "a2a-acp" // the name makes it the program; see TestMain
	cmd.Stdin = strings.NewReader(event)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var code *exec.ExitError
	if err != nil && !errors.As(err, &code) {
		return err
	}
	fmt.Fprintf(os.Stderr, "hook: %d %s%s\n", cmd.ProcessState.ExitCode(), strings.TrimSpace(string(out)), strings.TrimSpace(stderr.String()))
	return nil
}

// tellHook says something over the socket that the options of our plugin for opencode name.
func tellHook(told string) error {
	var config struct{ Plugin []json.RawMessage }
	if err := json.Unmarshal([]byte(os.Getenv("OPENCODE_CONFIG_CONTENT")), &config); err != nil {
		return err
	}
	var file string
	var options struct{ Socket string }
	ours := []any{&file, &options}
	if err := json.Unmarshal(config.Plugin[len(config.Plugin)-1], &ours); err != nil {
		return err
	}
	if _, err := os.Stat(strings.TrimPrefix(file, "file://")); err != nil {
		return err
	}
	conn, err := net.Dial("unix", options.Socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := fmt.Fprintln(conn, told); err != nil {
		return err
	}
	answer, err := io.ReadAll(conn)
	fmt.Fprintf(os.Stderr, "plugin: %s\n", strings.TrimSpace(string(answer)))
	return err
}

// agentTools is the agent's connection to our MCP server of its last session. A server can be started once
// only.
type agentTools struct {
	socket  string
	session *mcp.ClientSession
}

func (a *agentTools) connect(server *mcpServer) (*mcp.ClientSession, error) {
	switch {
	case server == nil:
		return nil, errors.New("session/new named no MCP server")
	case a.session != nil && a.socket == server.Args[len(server.Args)-1]:
		return a.session, nil
	}
	a.close()
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Stderr = os.Stderr
	cmd.Env = os.Environ()
	for _, v := range server.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "fake-agent", Version: "1"}, nil).Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, err
	}
	a.socket, a.session = server.Args[len(server.Args)-1], session
	return session, nil
}

func (a *agentTools) close() {
	if a.session != nil {
		a.session.Close()
	}
}

// callTool says which tools there are, calls one and says what came.
func callTool(session *mcp.ClientSession, call string) error {
	var params mcp.CallToolParams
	if err := json.Unmarshal([]byte(call), &params); err != nil {
		return err
	}
	tools, err := session.ListTools(context.Background(), nil)
	if err != nil {
		return err
	}
	for _, t := range tools.Tools {
		fmt.Fprintln(os.Stderr, "agent: tool", t.Name)
	}
	result, err := session.CallTool(context.Background(), &params)
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent: error", err)
		return nil
	}
	data, err := json.Marshal(result)
	fmt.Fprintln(os.Stderr, "agent: result", string(data))
	return err
}
