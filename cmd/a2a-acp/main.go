// Command a2a-acp puts a safe, audited pair of hands between an AI agent and a Linux machine.
package main

import (
	"os"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:], cli.ProcessEnvironment(version)))
}
