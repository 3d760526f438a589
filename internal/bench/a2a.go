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
	"slices"
	"strings"
	"sync"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/pkg/a2a"
)

// Our A2A server, with every event on disk before anybody is told of it, beside the server of the protocol's own
// module for Go, which keeps tasks in memory. Both have the same agent, which works, puts out an artifact and
// completes; both are asked by the same client, over connections that stay.
const (
	a2aClients = 32
	a2aRound   = 2 * time.Second
	a2aRounds  = 3
	leastA2A   = 2 // times as many
)

// a2aRows measure what a client of A2A gets in a second.
func a2aRows(self, dir string) []row {
	const against = "a2a-go's server, in memory"
	kinds := []string{"SendMessage", "SendStreamingMessage", "GetTask"}
	var rows []row
	for _, kind := range kinds {
		rows = append(rows, comparedRow("A2A: "+kind+", 32 clients", callRate, against, leastA2A))
	}
	slow := row{Name: "A2A: SendMessage, the slowest of 100", Unit: "ms", Against: against}
	m, err := measureA2A(self, dir, kinds)
	if err != nil {
		for i := range rows {
			rows[i] = rows[i].unmeasured(err)
		}
		return append(rows, slow.unmeasured(err))
	}
	for i, kind := range kinds {
		rows[i] = rows[i].measured(median(m.rates[kind]), median(m.floors[kind]), fmt.Sprintf("%d × %s", a2aRounds, a2aRound))
	}
	return append(rows, slow.measured(median(m.slow), median(m.slowFloor), fmt.Sprint(a2aRounds)))
}

type a2aFigures struct {
	rates, floors   map[string][]float64
	slow, slowFloor []float64
}

func measureA2A(self, dir string, kinds []string) (m a2aFigures, err error) {
	m.rates, m.floors = map[string][]float64{}, map[string][]float64{}
	state, err := os.MkdirTemp(dir, "a2a")
	if err != nil {
		return m, err
	}
	ours, stopOurs, err := startA2A(self, "a2a", state)
	if err != nil {
		return m, err
	}
	defer stopOurs()
	theirs, stopTheirs, err := startA2A(self, "a2a-go", state)
	if err != nil {
		return m, err
	}
	defer stopTheirs()
	for range a2aRounds {
		for _, kind := range kinds {
			rate, slow, err := askA2A(ours, kind)
			if err != nil {
				return m, fmt.Errorf("ours: %s: %w", kind, err)
			}
			floor, slowFloor, err := askA2A(theirs, kind)
			if err != nil {
				return m, fmt.Errorf("a2a-go: %s: %w", kind, err)
			}
			m.rates[kind], m.floors[kind] = append(m.rates[kind], rate), append(m.floors[kind], floor)
			if kind == "SendMessage" {
				m.slow, m.slowFloor = append(m.slow, slow), append(m.slowFloor, slowFloor)
			}
		}
	}
	return m, nil
}

// startA2A starts a server in a process of its own, and returns its address.
func startA2A(self, role, dir string) (address string, stop func(), err error) {
	cmd := exec.Command(self, "-role", role, dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		in.Close()
		cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("%s: it did not start: %w", role, err)
	}
	return strings.TrimSpace(line), stop, nil
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
