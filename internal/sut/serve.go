package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/pkg/a2a"
)

// agentName is the agent's.
const agentName = "scenarios"

// settings are a2a-acp.yaml. A conversation has a process of its own, and the suites begin hundreds, many of which they
// leave in the middle of a question.
const settings = `agents:
  scenarios:
    command: [%q, -long, %s, agent]
    workspace: %q
    title: Scenarios
    description: Plays the scenarios of the suites for A2A servers.
    hooks: off
    idle_timeout: 1s
    max_running: 512
`

// home is where everything lies that is written, until the end.
type home struct{ dir string }

func newHome(long time.Duration) (h home, err error) {
	if h.dir, err = os.MkdirTemp("", "sut"); err != nil {
		return h, err
	}
	self, err := os.Executable()
	if err != nil {
		return h, err
	}
	for _, name := range []string{"config/a2a-acp", "state", "work"} {
		if err := os.MkdirAll(filepath.Join(h.dir, name), 0o700); err != nil {
			return h, err
		}
	}
	text := fmt.Sprintf(settings, self, long, filepath.Join(h.dir, "work"))
	return h, os.WriteFile(filepath.Join(h.dir, "config/a2a-acp/a2a-acp.yaml"), []byte(text), 0o600)
}

// getenv is the environment that the program's settings come from: nothing of ours counts.
func (h home) getenv(name string) string {
	return map[string]string{"HOME": h.dir, "XDG_CONFIG_HOME": filepath.Join(h.dir, "config"),
		"A2A_STATE_DIR": filepath.Join(h.dir, "state")}[name]
}

// run serves until ctx ends.
func run(ctx context.Context, listen string, long time.Duration) (err error) {
	h, err := newHome(long)
	defer func() { err = errors.Join(err, os.RemoveAll(h.dir)) }()
	if err != nil {
		return err
	}
	over, cancel := context.WithCancel(context.Background())
	cancel() // at the end, nothing is waited for
	stderr := lines.New(os.Stderr)
	program, err := app.New(app.Options{Getenv: h.getenv, Dir: filepath.Join(h.dir, "work"), Home: h.dir, Version: "1.0.0",
		Say: func(line string) { stderr.Line(line) }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Stop(over)) }()
	agents, err := program.Agents(app.AgentsOptions{Environ: []string{"PATH=" + os.Getenv("PATH")}, Stderr: stderr, Served: true})
	if err != nil {
		return err
	}
	if err := program.Start(ctx); err != nil {
		return err
	}
	log, err := tasklog.Open(ctx, tasklog.Options{Path: filepath.Join(h.dir, "state", tasklog.Name)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	deliverer := webhook.New(webhook.Options{
		Open: func(ctx context.Context) (*store.Store, error) {
			return store.Open(ctx, store.Options{Path: filepath.Join(h.dir, "state", store.Name)})
		},
		Keys: &webhook.Keys{Dir: h.dir}, Say: func(line string) { stderr.Line(line) },
	})
	defer func() { err = errors.Join(err, deliverer.Close(over)) }()
	signer, err := newSigner()
	if err != nil {
		return err
	}
	door, err := a2a.New(a2a.Options{
		Deliverer: deliverer, Log: log, Signer: signer,
		PushAllow: func() []netip.Prefix { // the suites listen here
			return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
		},
		Agent:     a2a.NewACPAgent(a2a.ACPOptions{Agents: agents, Name: agentName, Version: "1.0.0"}),
		PlainCard: true, // the TCK takes no card with the fields of 0.3
		Caller:    func(*http.Request) a2a.Caller { return a2a.Caller{Name: "suite"} },
		Say:       func(line string) { stderr.Line(line) },
	})
	if err != nil {
		return err
	}
	if err := door.Start(ctx); err != nil {
		return err
	}
	defer door.Close(over)
	return serve(ctx, door, listen)
}

func newSigner() (*a2a.Signer, error) {
	key, err := a2a.NewKey()
	if err != nil {
		return nil, err
	}
	return a2a.NewSigner(key)
}

// serve serves all bindings on one address, in the clear, and says when it does.
func serve(ctx context.Context, door http.Handler, listen string) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: door, Protocols: &protocols, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }() // ends with the server
	line, err := json.Marshal(map[string]string{"url": "http://" + l.Addr().String()})
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	err = server.Close()
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	return err
}
