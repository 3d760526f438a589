package cobratools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// scripted is a tool that is a script: it is started as the program would be.
func scripted(t *testing.T, script string) *tool.Tool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	one := &tool.Tool{ID: "x", Exec: &tool.Exec{Command: path},
		Parameters: []tool.Parameter{{Name: words, Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}}}}
	one.Sandbox.Limits = tool.DefaultLimits()
	return one
}

// TestRunEnds: a call that is given up ends with all that it has started, also what would not hear of it.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wait := filepath.Join(dir, "wait")
	if err := syscall.Mkfifo(wait, 0o600); err != nil {
		t.Fatal(err)
	}
	one := scripted(t, `trap '' TERM; (trap '' TERM; cat "`+wait+`") & wait`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan tool.Result, 1)
	go func() { ended <- run(ctx, one, nil) }()    // ends with the call
	held, err := os.OpenFile(wait, os.O_WRONLY, 0) // once it is read from
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cancel()
	if result := <-ended; result.Status == tool.StatusCompleted {
		t.Errorf("gave %+v", result)
	}
	for err == nil { // until nobody is left who reads
		_, err = held.Write(make([]byte, 1<<10))
	}
	if !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
}

// TestRunTime: a call that takes too long says so.
func TestRunTime(t *testing.T) {
	t.Parallel()
	one := scripted(t, `read < <(exec tail -f /dev/null)`)
	one.Sandbox.Limits.Timeout = 100 * time.Millisecond
	if result := run(t.Context(), one, nil); result.Error == nil || result.Error.Code != tool.FailTimeout {
		t.Errorf("gave %+v", result)
	}
}

// TestRunBounds: what a call prints is bounded, and what it exits with is told.
func TestRunBounds(t *testing.T) {
	t.Parallel()
	one := scripted(t, `head -c 300000 /dev/zero | tr '\0' x; echo bad >&2; exit 3`)
	one.Sandbox.Limits.Output = 1000
	result := run(t.Context(), one, json.RawMessage(`{"args":["a"]}`))
	if len(result.Stdout) != 1000 || !result.Truncated || result.OutputLength != 300004 || result.ExitCode != 3 || result.Status != tool.StatusFailed {
		t.Errorf("gave %d bytes of %d, %d, %s", len(result.Stdout), result.OutputLength, result.ExitCode, result.Status)
	}
	for _, wrong := range []string{`{"args":["--flag"]}`, `{"flags":{"x":1}}`, `{"args":"a"}`, `[]`, `{"args":["a\u0000b"]}`} {
		if result := run(t.Context(), one, json.RawMessage(wrong)); result.Error == nil || result.ExitCode != -1 {
			t.Errorf("%s gave %+v", wrong, result)
		}
	}
}

// TestAround: PreRun, PostRun and Middleware come in their order, and what PreRun has cancelled is not run.
func TestAround(t *testing.T) {
	t.Parallel()
	var order []string
	note := func(what string) { order = append(order, what) }
	s := Selector{
		PreRun: func(ctx context.Context, r *Request, in ToolInput) (context.Context, *Request, ToolInput) {
			note("pre")
			if len(in.Args) > 1 {
				stopped, cancel := context.WithCancel(ctx)
				cancel()
				return stopped, r, in
			}
			in.Args = append(in.Args, "more")
			return ctx, r, in
		},
		PostRun: func(_ context.Context, _ *Request, _ ToolInput, r *Result, out ToolOutput, err error) (*Result, ToolOutput, error) {
			note("post")
			out.StdOut = strings.ReplaceAll(out.StdOut, "secret", "[REDACTED]")
			return r, out, err
		},
		Middleware: func(ctx context.Context, r *Request, in ToolInput, next Handler) (*Result, ToolOutput, error) {
			note("around")
			return next(ctx, r, in)
		},
	}
	next := func(_ context.Context, _ *Request, in ToolInput) (*Result, ToolOutput, error) {
		note("run")
		return &Result{}, ToolOutput{StdOut: "secret " + strings.Join(in.Args, " ")}, nil
	}
	_, out, err := s.around()(t.Context(), &Request{}, ToolInput{Args: []string{"a"}}, next)
	if got := strings.Join(order, " "); got != "around pre run post" || out.StdOut != "[REDACTED] a more" || err != nil {
		t.Errorf("%s; printed %q, %v", got, out.StdOut, err)
	}
	order = nil
	_, _, err = s.around()(t.Context(), &Request{}, ToolInput{Args: []string{"a", "b"}}, next)
	if got := strings.Join(order, " "); got != "around pre post" || err == nil {
		t.Errorf("cancelled: %s, %v", got, err)
	}
}
