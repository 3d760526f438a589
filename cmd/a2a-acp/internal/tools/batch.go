package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mostBatched is how many calls one batch may have.
const mostBatched = 10_000

// runBatch makes the calls of a file. All of it is read before the first one is made.
func runBatch(ctx context.Context, env *cli.Environment, flags runFlags, asJSON bool) (err error) {
	batch, err := readBatch(env, flags.batch)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	a, err := app.New(env.AppOptions(flags.tools, flags.policies))
	if err != nil {
		return cli.Fail(cli.StartCode(err), err)
	}
	defer func() { err = errors.Join(err, a.Stop(ctx)) }()
	calls := make([]tool.Call, len(batch))
	for i, b := range batch {
		calls[i] = newCall(env, b.tool, flags.agent)
		calls[i].Arguments = b.params
	}
	results := a.Executor.ExecuteBatch(ctx, calls,
		cli.NewTerminal(env, flags.yes).WithBoard(a.Questions, flags.wait), flags.atOnce)
	if asJSON {
		for i := range results {
			results[i] = results[i].InText()
		}
		if err := cli.WriteData(env.Stdout, cli.FormatJSON, results); err != nil {
			return err
		}
	} else {
		writeResults(env, results)
	}
	return env.Ends(codeOfResults(results))
}

// codeOfResults returns the exit code of a batch: that of the first call that did not complete.
func codeOfResults(results []tool.Result) int {
	for _, result := range results {
		if code := cli.CodeOfResult(result); code != exit.OK {
			return code
		}
	}
	return exit.OK
}

// writeResults shows the results to a person, a call a line.
func writeResults(env *cli.Environment, results []tool.Result) {
	out := cli.Table{Head: []string{"NO", "TOOL", "STATUS", "CODE", "MS", "SAYS"}}
	counts := map[tool.Status]int{}
	for i, r := range results {
		counts[r.Status]++
		status, code := string(r.Status), "-"
		if r.Cached {
			status += " (cached)"
		}
		if r.ExitCode >= 0 {
			code = strconv.Itoa(r.ExitCode)
		}
		out.Add(strconv.Itoa(i+1), display.Line(r.ToolID), status, code,
			fmt.Sprintf("%.0f", r.ExecutionTimeMS), saysOf(r))
	}
	out.Write(env.Stdout)
	var words []string
	for _, status := range []tool.Status{tool.StatusCompleted, tool.StatusFailed, tool.StatusDenied,
		tool.StatusTimeout, tool.StatusCancelled} {
		if n := counts[status]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, status))
		}
	}
	env.Say(fmt.Sprintf("%s: %s", display.Count(len(results), "call", "calls"), strings.Join(words, ", ")))
}

// saysOf is the first line of what there is to say about a result.
func saysOf(r tool.Result) string {
	switch {
	case r.Error != nil:
		return display.Line(r.Error.Error())
	case r.Status != tool.StatusCompleted && r.Stderr != "":
		return cli.FirstLine(r.Stderr)
	}
	return cli.FirstLine(r.Stdout)
}

// batchedCall is one call of a file.
type batchedCall struct {
	tool   string
	params json.RawMessage // nil when there are none
}

// readBatch reads calls from a file, or from standard input for "-": a JSON list of them, or one on each
// line.
func readBatch(env *cli.Environment, name string) ([]batchedCall, error) {
	var data []byte
	var err error
	if name == "-" {
		name = "standard input"
		data, err = io.ReadAll(io.LimitReader(env.Stdin, longestParams))
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("--batch: %w", err)
	}
	calls, at, err := decodeBatch(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, 1+bytes.Count(data[:at], []byte("\n")), err)
	}
	if len(calls) == 0 {
		return nil, fmt.Errorf(`%s: there are no calls; want a list of {"tool": …, "params": {…}}, or one on each line`, name)
	}
	return calls, nil
}

// decodeBatch reads all calls. at is where the one begins that an error is about.
func decodeBatch(data []byte) (calls []batchedCall, at int, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	next := func() int {
		rest := data[dec.InputOffset():]
		return len(data) - len(bytes.TrimLeft(rest, " \t\r\n,"))
	}
	isList := bytes.HasPrefix(bytes.TrimSpace(data), []byte("["))
	if isList {
		_, _ = dec.Token() // the bracket
	}
	for dec.More() {
		at = next()
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, at, err
		}
		call, err := readCall(raw)
		if err != nil {
			return nil, at, err
		}
		if len(calls) == mostBatched {
			return nil, at, fmt.Errorf("more than %d calls", mostBatched)
		}
		calls = append(calls, call)
	}
	at = next()
	if isList {
		if _, err := dec.Token(); err != nil { // the other bracket
			return nil, at, err
		}
	}
	if at = next(); at < len(data) {
		return nil, at, errors.New("there is more after the calls")
	}
	return calls, at, nil
}

// readCall reads one call. Its params are checked later, as those of any call.
func readCall(raw json.RawMessage) (batchedCall, error) {
	var call batchedCall
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, _ := dec.Token(); open != json.Delim('{') {
		return call, fmt.Errorf(`want {"tool": …, "params": {…}}, found %s`,
			display.Line(string(raw[:min(len(raw), 60)])))
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return call, err
		}
		key, _ := token.(string)
		if seen[key] {
			return call, fmt.Errorf("%q is given twice", key)
		}
		seen[key] = true
		switch key {
		case "tool":
			err = dec.Decode(&call.tool)
		case "params":
			err = dec.Decode(&call.params)
		default:
			err = fmt.Errorf("unknown key %q; a call has tool and params", key)
		}
		if err != nil {
			return call, err
		}
	}
	if call.tool == "" {
		return call, errors.New("tool is missing")
	}
	return call, nil
}
