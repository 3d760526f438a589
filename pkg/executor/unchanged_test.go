package executor

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

var updateUnchanged = flag.Bool("update-unchanged", false, "write testdata/unchanged anew: then permits and records are others")

// TestScriptsAreAsBefore holds what calls of scripts come to against what they came to before other kinds of tools
// were there: the digest that a permit is bound to, the lines of the record, what a person reads, and the result.
func TestScriptsAreAsBefore(t *testing.T) {
	t.Parallel()
	yes := true
	for name, test := range map[string]struct {
		change    func(*tool.Tool)
		arguments string
		ended     sandbox.Outcome
	}{
		"plain": {func(*tool.Tool) {}, `{"word":"it's $(id)"}`, sandbox.Outcome{Stdout: []byte("it's\n"), OutputBytes: 5, Reaped: 2}},
		"everything": {func(w *tool.Tool) {
			w.Script = `{{#path}}cat -- {{path}}; {{/path}}bash -c {{command}}`
			w.AllowDynamicCommand = true
			w.Parameters = []tool.Parameter{{Name: "path", Type: tool.TypeString}, {Name: "command", Type: tool.TypeString, Required: true}}
			w.Sandbox.Environment = map[string]string{"LANGUAGE": "de", "EDITOR": "true"}
			w.Sandbox.References = map[string]tool.Reference{"API_KEY": {Secret: "key"}, "TOKEN": {Command: []string{"pass", "show"}}}
			w.Sandbox.RequiresConfirmation = true
			w.ErrorMapping = map[int]tool.MappedError{3: {Code: -32002, Message: "Resource not found", Detail: "no {{path}}"}}
			w.Retry = tool.DefaultRetry()
			w.Caching = tool.DefaultCaching()
			w.Annotations.ReadOnly = &yes
		}, `{"path":"a/b","command":"git log | head >x"}`, sandbox.Outcome{ExitCode: 3, Stderr: []byte("jqq: command not found\n"), OutputBytes: 23, Killed: 1,
			Changed: []string{"it changed .envrc"}, Hints: []string{"a hint"}, Lost: 1}},
		"another interpreter": {func(w *tool.Tool) { w.Script = "#!/usr/bin/env python3\nprint(1)\n" }, `{"word":"x"}`,
			sandbox.Outcome{ExitCode: 137, Signal: "SIGKILL", LimitsHit: []string{"memory"}, Truncated: true}},
		"out of time":   {func(*tool.Tool) {}, `{}`, sandbox.Outcome{ExitCode: 137, Signal: "SIGKILL", TimedOut: true}},
		"too much":      {func(*tool.Tool) {}, `{}`, sandbox.Outcome{ExitCode: 137, Signal: "SIGKILL", LimitsHit: []string{"output"}}},
		"not there":     {func(*tool.Tool) {}, `{}`, sandbox.Outcome{ExitCode: 127, Stderr: []byte("bash: line 1: jqq: command not found\n")}},
		"a wrong value": {func(*tool.Tool) {}, `{"word":7}`, sandbox.Outcome{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := unchanged(t, test.change, test.arguments, test.ended)
			file := filepath.Join("testdata", "unchanged", filepath.Base(t.Name())+".json")
			if *updateUnchanged {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// unchanged makes a call in a place that is the same everywhere, and tells of all that others see of it. What a
// machine can enforce is left out.
func unchanged(t *testing.T, change func(*tool.Tool), arguments string, ended sandbox.Outcome) []byte {
	t.Helper()
	h := newHouse(t, rule(permissions.Approve))
	h.bash = "/usr/bin/bash"
	h.runsIn(workshop{h, shared})
	h.executor.now = func() time.Time { return time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC) }
	h.vault = vault{"key": apiKey}
	h.instead = func(context.Context) sandbox.Outcome { return ended }
	h.dir = "/"
	work := script(`echo {{word}}`)
	work.Sandbox.WorkingDirectory, work.Sandbox.AllowedPaths = "/", nil
	change(work)
	h.has(work)
	told, hints := map[string]any{}, 0
	call := h.call(arguments)
	call.ID = "call-1"
	if preview, failure := h.executor.Preview(call); failure == nil {
		hints = len(preview.Sandbox.Hints)
		preview.Sandbox.Level, preview.Sandbox.Limits, preview.Sandbox.Network, preview.Sandbox.Hints = "", nil, false, nil
		told["preview"] = preview
	}
	if a, failure := h.executor.prepare(call); failure == nil {
		question, err := question(a, permissions.Decision{Verdict: permissions.Ask, Reason: "a rule wants it"})
		if err != nil {
			t.Fatal(err)
		}
		question.Basis.Plan = ""
		told["digest"], told["question"] = a.invocation.Digest().String(), said(t, question)
	}
	work.Sandbox.References = nil // the other one runs a program
	work.Sandbox.RequiresConfirmation = false
	result := h.executor.Execute(t.Context(), call, person{h})
	result.Metadata.Sandbox.Hints = result.Metadata.Sandbox.Hints[hints:]
	result.Metadata.Sandbox.Level, result.Metadata.Sandbox.Limits, result.Metadata.Sandbox.Network = "", nil, false
	told["result"] = result
	for i := range h.events {
		e := &h.events[i]
		e.Time = time.Time{}
		if e.Decision != nil {
			e.Decision.PolicySHA256 = ""
		} else if e.Outcome != nil {
			e.Outcome.Level = ""
		}
	}
	told["record"] = append([]events.Event{}, h.events...)
	text, err := json.MarshalIndent(told, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// said is what a value says as JSON, without the members that say nothing: a further one changes nothing for the calls
// that have none.
func said(t *testing.T, value any) map[string]any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	return dropEmpty(members)
}

func dropEmpty(members map[string]any) map[string]any {
	maps.DeleteFunc(members, func(_ string, value any) bool {
		if inner, ok := value.(map[string]any); ok {
			return len(dropEmpty(inner)) == 0
		}
		return value == nil || value == "" || value == false
	})
	return members
}
