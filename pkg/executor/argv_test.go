package executor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// program makes a tool of a program in the house's directory, which prints its words one a line and makes the effect.
func (h *house) program(parameters ...tool.Parameter) (*tool.Tool, string) {
	h.t.Helper()
	path := filepath.Join(h.t.TempDir(), "prog")
	h.write(path, "#!/bin/sh\nprintf '<%s>\\n' \"$@\"\ntouch "+effect+"\n")
	t := script("")
	t.Exec = &tool.Exec{Command: path, Argv: []string{"sub"}}
	t.Parameters = append(parameters, tool.Parameter{Name: "args", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}})
	return t, path
}

// write replaces a program.
func (h *house) write(path, text string) {
	h.t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		h.t.Fatal(err)
	}
}

// TestProgram: the words arrive as they are, in a sandbox; what is decided about and recorded is the command.
func TestProgram(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	program, path := h.program(tool.Parameter{Name: "text", Flag: "--text", Type: tool.TypeString},
		tool.Parameter{Name: "n", Flag: "--n", Type: tool.TypeInteger})
	h.has(program)
	result := h.execute(t.Context(), `{"flags":{"text":"a 'b' $(id)\n--x","n":1000000},"args":["c d","*"]}`)
	if want := "<sub>\n<--n=1000000>\n<--text=a 'b' $(id)\n--x>\n<c d>\n<*>\n"; result.Stdout != want || result.ExitCode != 0 {
		t.Errorf("got %q, %+v, want %q", result.Stdout, result.Error, want)
	}
	if !h.hasRun() || result.Metadata.Sandbox.Level != h.level {
		t.Errorf("it did not run in the sandbox: %+v", result.Metadata.Sandbox)
	}
	decided := h.of(events.ToolDecided)
	if len(decided) != 1 || !strings.Contains(h.recorded(), path+" sub --n=1000000") {
		t.Errorf("the record has no such command: %s", h.recorded())
	}
}

// TestProgramReadsNoWords: where a program reads words in a file @FILE, no argument names one.
func TestProgramReadsNoWords(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	program, path := h.program()
	gcc := filepath.Join(filepath.Dir(path), "gcc")
	if err := os.Rename(path, gcc); err != nil {
		t.Fatal(err)
	}
	program.Exec.Command = gcc
	h.has(program)
	if result := h.execute(t.Context(), `{"args":["a.c","@words"]}`); result.Error == nil || h.hasRun() || !strings.Contains(result.Error.Message, "begins with @") {
		t.Errorf("it ran with @words: %+v", result.Error)
	}
	if result := h.execute(t.Context(), `{"args":["./@words"]}`); result.Error != nil || !h.hasRun() {
		t.Errorf("it did not run with ./@words: %+v", result.Error)
	}
}

// TestProgramIsExchanged: a yes is for the program that was there when it was asked for.
func TestProgramIsExchanged(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Ask))
	program, path := h.program()
	h.has(program)
	h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
		if !strings.Contains(q.Text, path+" sub 'a b'") {
			t.Errorf("the person was asked %q", q.Text)
		}
		h.write(path, "#!/bin/sh\ntouch "+effect+"; echo another\n")
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
	}
	result := h.execute(t.Context(), `{"args":["a b"]}`)
	if h.hasRun() || codeOf(result) != tool.FailDenied || !strings.Contains(result.Error.Message, "another program by now") {
		t.Errorf("got has run %t, %+v, error %v; want a refusal", h.hasRun(), result, result.Error)
	}
}

// TestNamedProgram: a program whose file is not the one that the entry names is told, and refused where it is pinned.
func TestNamedProgram(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	program, path := h.program()
	sum, err := (&programs{}).files.Hash(path)
	if err != nil {
		t.Fatal(err)
	}
	program.Exec.SHA256, program.Exec.Pin = sum, true
	h.has(program)
	another := func(hint tool.Hint) bool { return strings.Contains(hint.Says, "another program than its entry names") }
	if result := h.execute(t.Context(), `{}`); result.ExitCode != 0 ||
		slices.ContainsFunc(result.Metadata.Sandbox.Hints, another) {
		t.Errorf("the very program: %+v %+v", result, result.Error)
	}
	h.write(path, "#!/bin/sh\nexit 3\n")
	if result := h.execute(t.Context(), `{}`); result.ExitCode != -1 || codeOf(result) != tool.FailDenied ||
		!strings.Contains(result.Error.Message, "pins it") {
		t.Errorf("another program, pinned: %+v %+v", result, result.Error)
	}
	program.Exec.Pin = false
	result := h.execute(t.Context(), `{}`)
	if result.ExitCode != 3 || !slices.ContainsFunc(result.Metadata.Sandbox.Hints, another) {
		t.Errorf("another program: %+v %+v", result, result.Error)
	}
}

// TestSecretWords: what is secret stands in no question, event or preview, and reaches the program.
func TestSecretWords(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Ask))
	program, path := h.program(tool.Parameter{Name: "token", Flag: "--token", Type: tool.TypeString, Secret: true})
	h.write(path, "#!/bin/sh\ntest \"$2\" = --token=hunter2 && echo reached\n")
	h.has(program)
	h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
		if strings.Contains(q.Text+q.Title, "hunter2") {
			t.Errorf("the person was asked %q", q.Text)
		}
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
	}
	if result := h.execute(t.Context(), `{"flags":{"token":"hunter2"}}`); result.Stdout != "reached\n" {
		t.Errorf("got %+v %+v", result, result.Error)
	}
	preview, failure := h.executor.Preview(h.call(`{"flags":{"token":"hunter2"}}`))
	if failure != nil || strings.Contains(h.recorded()+preview.Shown+strings.Join(preview.Argv, " "), "hunter2") {
		t.Errorf("it is shown: %+v %v\n%s", preview, failure, h.recorded())
	}
}

// TestProgramIsNone: what cannot be started is told with the cure, and nothing waits for it.
func TestProgramIsNone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for command, says := range map[string]string{
		filepath.Join(dir, "gone"): "no such file", filepath.Join(dir, "data"): "permission denied", dir: "permission denied",
		"no-program-of-this-name": "there is no program", "/dev/zero": "permission denied",
	} {
		program, _ := h.program()
		program.Exec.Command = command
		h.has(program)
		if result := h.execute(t.Context(), `{}`); codeOf(result) != tool.FailSandbox || !strings.Contains(result.Error.Message, says) ||
			!strings.Contains(result.Error.Message, "tools.yaml:7") {
			t.Errorf("%s: %+v", command, result.Error)
		}
	}
}
