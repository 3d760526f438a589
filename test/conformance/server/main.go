// Command server is what the conformance suite of MCP is run against: the product's door over HTTP, with the
// tools, resources and prompts that the suite calls. They are Go, since most of them do what no tools file says:
// sampling, roots, many kinds of content, tasks on demand. What a tools file can say is served by the program
// itself; see suite_test.go.
//
//nolint:lll,nilerr,forbidigo // what the suite says stands in a line of JSON; a failure is a result; it prints where it listens
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8643", "the address to listen at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *listen); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string) error {
	offers := newOffers()
	server, err := mcpserver.New(mcpserver.Options{Tools: offers, Resources: offers.resources(), Prompts: offers.prompts(),
		Completer: offers, Tasks: &memory{}, Version: "1", Say: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err != nil {
		return err
	}
	offers.server = server
	front := server.HTTP(mcpserver.HTTPOptions{})
	defer server.CloseTasks()
	defer front.Close()
	mux := http.NewServeMux()
	mux.Handle("/mcp", front)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	daemon := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { daemon.Close() })() //nolint:errcheck // it ends
	fmt.Printf("{\"mcp\":\"http://%s/mcp\"}\n", listener.Addr())
	if err := daemon.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}
