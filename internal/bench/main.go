// Bench measures what the bridge costs, beside a floor that is measured in the same run: a process that
// copies bytes and looks at nothing, between the same two ends. And what the sandbox costs, beside a start
// of the same script with nothing around it, and beside other sandboxes.
//
//	go run ./internal/bench -bin build/a2a-acp -o build/bench.json
//
// It starts itself in more roles: the agent, which sends everything back, the floor, and the programs that
// run calls. Rounds of the bridge and of the floor alternate, so that a machine that is busy for a while is
// busy for both.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// patience is how long a relay may take for one round, or to end, before it counts as stuck.
const patience = 30 * time.Second

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	bin := flags.String("bin", "build/a2a-acp", "the program to measure")
	out := flags.String("o", "build/bench.json", "where the rows go as JSON; the table goes to stdout")
	only := flags.String("only", "",
		"relay (with the memory that it leaves), start (with the memory of an idle bridge and daemon), policy (decisions and replay), "+
			"record, webhooks, a2a, a2a-chunk (of it the first words of an agent), mcp, hooks, cli, http, openapi or sandbox: only "+
			"these rows")
	document := flags.String("document", "build/specs/github/node_modules/@github/openapi/dist/api.github.com.json",
		"the OpenAPI document that is imported: GitHub's, which make specs fetches")
	records := flags.Int("records", longRecord, "how long the long record is")
	role := flags.String("role", "",
		"how bench starts itself: agent, hooked, copy COMMAND…, sandbox DIR, calls DIR, webhooks DIR URL N, verify DIR, "+
			"a2a DIR, a2a-go, chunking, answer DIR URL, mcp N, or mcp-sdk N|bash")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch *role {
	case "agent":
		return echo(os.Stdin, os.Stdout)
	case "hooked":
		return hookedAgent(os.Stdin, os.Stdout)
	case "copy":
		return copyBytes(os.Stdin, os.Stdout, flags.Args())
	case "sandbox":
		return measureSandbox(flags.Arg(0), stdout)
	case "calls":
		return holdCalls(flags.Arg(0), stdout)
	case "webhooks":
		return holdWebhooks(flags.Arg(0), flags.Arg(1), flags.Arg(2), os.Stdin, stdout)
	case "verify":
		return verifyAlone(flags.Arg(0), stdout)
	case "a2a":
		return serveOurA2A(flags.Arg(0), os.Stdin, stdout)
	case "a2a-go":
		return serveTheirA2A(os.Stdin, stdout)
	case "chunking":
		return chunkingAgent(os.Stdin, os.Stdout)
	case "answer":
		return takeAnswer(flags.Arg(0), flags.Arg(1), stdout)
	case "mcp":
		tools, err := strconv.Atoi(flags.Arg(0))
		if err != nil {
			return err
		}
		return serveOurMCP(tools, os.Stdin, stdout)
	case "mcp-sdk":
		return serveTheirMCP(flags.Arg(0), os.Stdin, stdout)
	case "":
	default:
		return fmt.Errorf("-role %s: there is agent, hooked, copy, sandbox, calls, webhooks, verify, a2a, a2a-go, chunking, answer, "+
			"mcp and mcp-sdk", *role)
	}
	rows, err := measure(*bin, *only, *document, *records)
	if err != nil {
		return err
	}
	if err := table(stdout, rows); err != nil {
		return err
	}
	data, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(*out, append(data, '\n'), 0o644)
}

// measure takes every row, or only those of one part. What cannot be measured gives a row that says why.
func measure(bin, only, document string, records int) ([]row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if bin, err = filepath.Abs(bin); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "a2a-acp-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	switch only {
	case "":
	case "relay", "start":
	case "sandbox":
		return sandboxRows(dir), nil
	case "cli":
		return cliRows(bin, dir), nil
	case "policy":
		return policies(dir), nil
	case "record":
		return recordRows(bin, dir, records), nil
	case "webhooks":
		return webhookRows(dir), nil
	case "a2a":
		return a2aRows(bin, self, dir), nil
	case "a2a-chunk":
		return []row{chunkRow(bin, self, dir)}, nil
	case "mcp":
		return mcpRows(bin, self, dir), nil
	case "hooks":
		return hookRows(bin, self, dir), nil
	case "http":
		return httpRows(dir), nil
	case "openapi":
		return openAPIRows(document), nil
	default:
		return nil, fmt.Errorf("-only %s: there is relay, start, policy, record, webhooks, a2a, a2a-chunk, mcp, hooks, "+
			"cli, http, openapi and sandbox", only)
	}
	agent := []string{self, "-role", "agent"}
	bridge := launcher{dir: dir, argv: append([]string{bin, "bridge", "--"}, agent...), patience: patience}
	floor := launcher{dir: dir, argv: append([]string{self, "-role", "copy", "--"}, agent...), patience: patience}

	starting := func() []row {
		return append(append([]row{firstFrame(bridge)}, idleMemory(bridge)...), daemonMemory(bin, dir), attach(bin, dir))
	}
	if only == "start" {
		return starting(), nil
	}
	var rows []row
	for _, size := range sizes {
		rows = append(rows, roundTrips(bridge, floor, size), throughput(bridge, floor, size))
	}
	if only == "relay" {
		return append(rows, idleMemory(bridge)...), nil
	}
	rows = append(rows, starting()...)
	rows = append(rows, hookRows(bin, self, dir)...)
	rows = append(rows, templates()...)
	rows = append(rows, policies(dir)...)
	rows = append(rows, recordRows(bin, dir, records)...)
	rows = append(rows, webhookRows(dir)...)
	rows = append(rows, a2aRows(bin, self, dir)...)
	rows = append(rows, mcpRows(bin, self, dir)...)
	call, err := toolCall(dir)
	if err != nil {
		return nil, err
	}
	rows = append(append(rows, call), cliRows(bin, dir)...)
	rows = append(append(rows, httpRows(dir)...), openAPIRows(document)...)
	return append(rows, sandboxRows(dir)...), nil
}
