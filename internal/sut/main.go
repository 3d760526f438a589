// Command sut serves an agent that plays the scenarios of the suites for A2A servers, behind the same door as any
// other agent, so that a suite can be pointed at it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/pkg/a2a"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9999", "where to listen")
	long := flag.Duration("long", 5*time.Second, "how long a long task takes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *long); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen string, long time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "sut")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	log, err := tasklog.Open(ctx, tasklog.Options{Path: filepath.Join(dir, tasklog.Name)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	key, err := a2a.NewKey()
	if err != nil {
		return err
	}
	signer, err := a2a.NewSigner(key)
	if err != nil {
		return err
	}
	say := func(line string) { fmt.Fprintln(os.Stderr, line) }
	deliverer := webhook.New(webhook.Options{
		Open: func(ctx context.Context) (*store.Store, error) {
			return store.Open(ctx, store.Options{Path: filepath.Join(dir, store.Name)})
		},
		Keys: &webhook.Keys{Dir: dir}, Say: say,
	})
	defer func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		err = errors.Join(err, deliverer.Close(over))
	}()
	door, err := a2a.New(a2a.Options{
		Deliverer: deliverer, PushAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Log: log, Agent: &player{card: card(), long: long}, Signer: signer,
		PlainCard: true, // the TCK takes no card with the fields of 0.3
		Caller:    func(*http.Request) a2a.Caller { return a2a.Caller{Name: "suite"} },
		Say:       func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	if err != nil {
		return err
	}
	if err := door.Start(ctx); err != nil {
		return err
	}
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
	<-ctx.Done()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	door.Close(over)
	err = server.Close()
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	return err
}

func card() *wire.AgentCard {
	return &wire.AgentCard{
		Name: "Scenarios", Description: "Plays the scenarios of the suites for A2A servers.", Version: "1.0.0",
		Capabilities:      wire.AgentCapabilities{Streaming: true, ExtendedAgentCard: true},
		DefaultInputModes: []string{"*/*"}, DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []wire.AgentSkill{{ID: "scenarios", Name: "Scenarios", Description: "Each begins with its name.",
			Tags: []string{"test"}}},
	}
}
