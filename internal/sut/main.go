// Command sut serves an agent that plays the scenarios of the suites for A2A servers, behind the same door as any
// other agent, so that a suite can be pointed at it. The agent is a program of its own, which speaks ACP: sut agent.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/supervisor"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == supervisor.Verb { // as in any program with a bridge
		os.Exit(supervisor.Main(os.Args[2:], os.Stderr))
	}
	listen := flag.String("listen", "127.0.0.1:9999", "where to listen")
	long := flag.Duration("long", 5*time.Second, "how long a long task takes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if flag.Arg(0) == "agent" {
		err = play(ctx, os.Stdin, os.Stdout, *long)
	} else {
		err = run(ctx, *listen, *long)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
