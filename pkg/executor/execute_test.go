package executor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// touch is a script that leaves a trace.
const touch = `: > ` + effect + `; printf 'did %s' {{word}}`

// TestOrder checks in which order a call goes: nothing has an effect before the decision about it is on
// record.
func TestOrder(t *testing.T) {
	t.Parallel()
	yes := func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
	}
	no := func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson, Reason: "not today"}, nil
	}
	for _, test := range []struct {
		name    string
		verdict permissions.Verdict
		answers func(context.Context, approval.Question) (approval.Answer, error)
		want    []string
		status  tool.Status
		code    tool.FailureCode // "" when it ran
	}{
		{"approved by a rule", permissions.Approve, nil, []string{
			"plan", "decide approve", "record tool.decided approve policy", "decide approve", "record tool.started", "run", "record tool.ended completed, after the effect",
		}, tool.StatusCompleted, ""},
		{"rejected by a rule", permissions.Reject, yes, []string{
			"plan", "decide reject", "record tool.decided reject policy",
		}, tool.StatusDenied, tool.FailDenied},
		{"asked, yes", permissions.Ask, yes, []string{
			"plan", "decide ask", "record approval.asked ask policy", "ask", "record tool.decided approve person", "decide ask", "record tool.started", "run", "record tool.ended completed, after the effect",
		}, tool.StatusCompleted, ""},
		{"asked, no", permissions.Ask, no, []string{
			"plan", "decide ask", "record approval.asked ask policy", "ask", "record tool.decided reject person",
		}, tool.StatusDenied, tool.FailDenied},
		{"nobody to ask", permissions.Ask, nil, []string{
			"plan", "decide ask", "record approval.asked ask policy", "ask", "record tool.decided reject nobody",
		}, tool.StatusDenied, tool.FailApproval},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(test.verdict))
			h.has(script(touch))
			h.answers = test.answers
			result := h.execute(t.Context(), `{"word":"x"}`)
			if diff := cmp.Diff(test.want, h.steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if result.Status != test.status || codeOf(result) != test.code || h.hasRun() != (test.code == "") {
				t.Errorf("got status %s, error %v, has run %t; want %s, %q", result.Status, result.Error, h.hasRun(), test.status, test.code)
			}
			if ran := test.code == ""; ran != (result.ExitCode == 0) || ran != (result.Stdout == "did x") {
				t.Errorf("got exit code %d, stdout %q, has run %t", result.ExitCode, result.Stdout, ran)
			}
		})
	}
}

func codeOf(result tool.Result) tool.FailureCode {
	if result.Error == nil {
		return ""
	}
	return result.Error.Code
}

// TestRefusedBeforeItIsDecided checks what is wrong with the call itself: it is told, and on record, and
// nothing runs.
func TestRefusedBeforeItIsDecided(t *testing.T) {
	t.Parallel()
	required := script(touch)
	required.Parameters = []tool.Parameter{{Name: "word", Type: tool.TypeString, Required: true}}
	lacking := script(touch)
	lacking.Unavailable = "`retry` is not supported yet"
	confined := script(touch)
	confined.Sandbox.Require = []string{"memory"} // which takes a control group of version 2
	for _, test := range []struct {
		name, arguments string
		tool            *tool.Tool
		code            tool.FailureCode
		says            string
	}{
		{"no such tool", `{}`, &tool.Tool{ID: "other", Unavailable: "-"}, tool.FailNotFound, "there is no tool \"work\"; `a2a-acp tools list` lists"},
		{"nearly such a tool", `{}`, &tool.Tool{ID: "works", Unavailable: "-"}, tool.FailNotFound, `there is no tool "work" (did you mean works?)`},
		{"unavailable tool", `{}`, lacking, tool.FailSandbox, "`retry` is not supported yet (tools.yaml:7)"},
		{"no JSON", `{"word":`, required, tool.FailValidation, "not JSON"},
		{"missing parameter", `{}`, required, tool.FailValidation, "word: required"},
		{"unknown parameter", `{"word":"x","wrod":"y"}`, required, tool.FailValidation, "did you mean word?"},
		{"wrong type", `{"word":["x"]}`, required, tool.FailValidation, "word: want a text"},
		{"parameter twice", `{"word":"x","word":"y"}`, required, tool.FailValidation, "given twice"},
		{"NUL", `{"word":"a\u0000b"}`, required, tool.FailValidation, "word: the text holds a NUL"},
		{"a property that the machine does not have", `{"word":"x"}`, confined, tool.FailSandbox, "requires memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			h.has(test.tool)
			result := h.execute(t.Context(), test.arguments)
			if codeOf(result) != test.code || !strings.Contains(result.Error.Message, test.says) {
				t.Errorf("got error %v, want %s with %q", result.Error, test.code, test.says)
			}
			if result.Status != tool.StatusFailed || result.ExitCode != -1 || result.Metadata.Decision != nil {
				t.Errorf("got %+v, want a failed call that was not decided", result)
			}
			steps := strings.TrimPrefix(strings.Join(h.steps, ", "), "plan, ")
			if steps != "record tool.ended failed" || h.hasRun() {
				t.Errorf("got steps %s, has run %t; want the record of its end only", steps, h.hasRun())
			}
		})
	}
}

// TestNotRecorded checks that what cannot be recorded does not happen.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	yes := func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
	}
	for _, test := range []struct {
		name    string
		verdict permissions.Verdict
		refuses events.Type
		runs    bool
		code    tool.FailureCode
		says    string
	}{
		{"the decision", permissions.Approve, events.ToolDecided, false, tool.FailInternal, "the decision could not be recorded: no space"},
		{"a person's decision", permissions.Ask, events.ToolDecided, false, tool.FailInternal, "the decision could not be recorded: no space"},
		{"a refusal", permissions.Reject, events.ToolDecided, false, tool.FailDenied, "rule house-rule (policies.yaml:3) rejects it"},
		{"the question", permissions.Ask, events.ApprovalAsked, false, tool.FailInternal, "no space"},
		{"the start", permissions.Approve, events.ToolStarted, false, tool.FailInternal, "the call was not begun, since that could not be recorded: no space"},
		{"the end", permissions.Approve, events.ToolEnded, true, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(test.verdict))
			h.has(script(touch))
			h.answers, h.refuses[test.refuses] = yes, full
			result := h.execute(t.Context(), `{}`)
			if h.hasRun() != test.runs || codeOf(result) != test.code {
				t.Fatalf("got has run %t, error %v; want %t, %q", h.hasRun(), result.Error, test.runs, test.code)
			}
			if test.code != "" && !strings.Contains(result.Error.Message, test.says) {
				t.Errorf("got %q, want %q in it", result.Error.Message, test.says)
			}
			if told := result.Metadata.Diagnostics["record"]; test.runs && told != full.Error() {
				t.Errorf("the result says %v of its record, want %v", told, full)
			}
			if asked := strings.Contains(strings.Join(h.steps, ", "), ", ask"); test.refuses == events.ApprovalAsked && asked {
				t.Error("a person was asked although that could not be recorded")
			}
		})
	}
}

// TestOutcomes checks what becomes of what a process does.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	internal := func(code int, detail string) *tool.MCPError {
		return &tool.MCPError{Code: -32603, Message: "Internal error", Detail: detail, ReturnCode: code, Unmapped: true}
	}
	for _, test := range []struct {
		name, text string
		limits     tool.Limits // added to none
		status     tool.Status
		exit       int
		signal     string
		stdout     string
		code       tool.FailureCode
		mcp        *tool.MCPError
		hit        []string
	}{
		{"all is well", "printf '<%s>' {{word}}", tool.Limits{}, tool.StatusCompleted, 0, "", "<a b>", "", nil, []string{}},
		{"an exit code that nobody explains", "echo {{word}}; exit 7", tool.Limits{}, tool.StatusFailed, 7, "", "a b\n", "", internal(7, "exit code 7"), []string{}},
		{"an exit code with a meaning", "echo {{word}}; exit 3", tool.Limits{}, tool.StatusFailed, 3, "", "a b\n", "", &tool.MCPError{Code: -32002, Message: "Resource not found", Detail: "no a b here", Retryable: true, ReturnCode: 3}, []string{}},
		{"a signal", "echo {{word}}; bash -c 'kill -SEGV $$'; exit $?", tool.Limits{}, tool.StatusFailed, 139, "", "a b\n", "", internal(139, "exit code 139"), []string{}},
		{"its own end", "printf {{word}}; kill -TERM $$; echo on", tool.Limits{}, tool.StatusFailed, 143, "SIGTERM", "a b", "", internal(143, "exit code 143"), []string{}},
		{"its own end, which nothing catches", "printf {{word}}; kill -KILL $$; echo on", tool.Limits{}, tool.StatusFailed, 137, "SIGKILL", "a b", "", internal(137, "exit code 137"), []string{}},
		{"its own end, from below", "x=$(kill -s USR1 $$; echo {{word}}); echo on", tool.Limits{}, tool.StatusFailed, 138, "SIGUSR1", "", "", internal(138, "exit code 138"), []string{}},
		{"its own end, which it catches", "trap 'echo caught' TERM; kill -TERM $$; echo {{word}}", tool.Limits{}, tool.StatusCompleted, 0, "", "caught\na b\n", "", nil, []string{}},
		{"what it starts ends of it as ever", "bash -c 'kill -TERM $$; echo on'; echo $? {{word}}", tool.Limits{}, tool.StatusCompleted, 0, "", "143 a b\n", "", nil, []string{}},
		{"time is up", "printf {{word}} >/dev/null; sleep 1000", tool.Limits{Timeout: 100 * time.Millisecond}, tool.StatusTimeout, 143, "SIGTERM", "", tool.FailTimeout, nil, []string{"timeout"}},
		{"too much output", "yes {{word}}", tool.Limits{Output: 6}, tool.StatusFailed, 137, "SIGKILL", "a b\na ", tool.FailOutput, nil, []string{"output"}},
		{"too big a file", "head -c 99 /dev/zero > f; exit $? # {{word}}", tool.Limits{FileSize: 10}, tool.StatusFailed, 153, "", "", tool.FailResource, nil, []string{"file_size"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			work := script(test.text)
			work.Sandbox.Limits = test.limits
			work.ErrorMapping = map[int]tool.MappedError{3: {Code: -32002, Message: "Resource not found", Detail: "no {{word}} here", Retryable: true}}
			h.has(work)
			result := h.execute(t.Context(), `{"word":"a b"}`)
			if result.Status != test.status || result.ExitCode != test.exit || result.Signal != test.signal || result.Stdout != test.stdout || codeOf(result) != test.code {
				t.Errorf("got %s, code %d, signal %q, %q, error %v; want %s, %d, %q, %q, %q\nstderr: %s", result.Status, result.ExitCode, result.Signal,
					result.Stdout, result.Error, test.status, test.exit, test.signal, test.stdout, test.code, result.Stderr)
			}
			if diff := cmp.Diff(test.mcp, result.MCPError); diff != "" {
				t.Errorf("MCP error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.hit, result.Metadata.Sandbox.LimitsHit); diff != "" {
				t.Errorf("limits hit (-want +got):\n%s", diff)
			}
			if test.code != "" && result.Truncated != (test.code == tool.FailOutput) {
				t.Errorf("got truncated %t", result.Truncated)
			}
			if result.Metadata.Sandbox.Level != h.level || result.Metadata.Decision == nil || result.Metadata.Decision.Rule != "house-rule" {
				t.Errorf("got metadata %+v, want the level and the decision", result.Metadata)
			}
			// The record's end says the same.
			end := h.events[len(h.events)-1]
			if end.Type != events.ToolEnded || end.Outcome.Status != string(test.status) || end.Outcome.ExitCode == nil || *end.Outcome.ExitCode != test.exit || end.Outcome.Level != h.level {
				t.Errorf("got the record %+v with %+v", end, end.Outcome)
			}
		})
	}
}

// TestCannotStart checks a call that was approved, and whose process cannot be started.
func TestCannotStart(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	work := script(touch)
	work.Sandbox.WorkingDirectory = "no/such/directory"
	h.has(work)
	result := h.execute(t.Context(), `{}`)
	if codeOf(result) != tool.FailSandbox || result.ExitCode != -1 || result.Status != tool.StatusFailed || !strings.Contains(result.Error.Message, "no/such/directory") ||
		!strings.HasSuffix(result.Error.Message, work.Source.String()+")") {
		t.Errorf("got %+v, error %v; want sandbox_unavailable about the directory, and where it is named", result, result.Error)
	}
	if got := result.Metadata.Diagnostics["return_code"]; got != -1 {
		t.Errorf("got return code %v of a process that did not run, want -1", got)
	}
	if end := h.steps[len(h.steps)-1]; end != "record tool.ended failed" {
		t.Errorf("the last step is %q, want its end on record", end)
	}
}

// TestValuesAreData checks that no value becomes part of the script, whatever it holds, and that each
// arrives as it was.
func TestValuesAreData(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	echo := script(`printf '%s' {{word}}`)
	echo.Output.Keep = 1 << 20
	h.has(echo)
	for _, value := range []string{
		`$(touch effect)`, "`touch effect`", `'; touch effect; '`, `"; touch effect; "`, "a\ntouch effect\n", `${IFS}`, `\`, `*`, `-n`, ``, "\u0001\u202e",
		strings.Repeat("x", 300<<10), // longer than one argument of a program can be
	} {
		encoded := `{"word":` + quoted(t, value) + `}`
		if result := h.execute(t.Context(), encoded); result.Stdout != value || result.Status != tool.StatusCompleted {
			t.Errorf("%.40q: got %s, %.40q, %v", value, result.Status, result.Stdout, result.Error)
		}
	}
	if h.hasRun() {
		t.Error("a value was run")
	}
}

// TestDirectoryOfACall checks where a call starts, and that a directory of its own is gone afterwards.
func TestDirectoryOfACall(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	for _, test := range []struct {
		name, dir string
		isolated  bool
		want      func(got string) bool
	}{
		{"the caller's", "", false, func(got string) bool { return got == h.dir }},
		{"relative to the caller's", "./", false, func(got string) bool { return got == h.dir }},
		{"absolute", "/", false, func(got string) bool { return got == "/" }},
		{"one of its own below the caller's", ".", true, func(got string) bool { return strings.HasPrefix(got, h.dir+"/.a2a-call-") }},
		{"one of its own", "", true, func(got string) bool { return !strings.HasPrefix(got, h.dir) }},
	} {
		work := script(touch + `; rm ` + effect + `; pwd -P`)
		if test.dir == "/" {
			work = script(`pwd -P; : {{word}}`)
		}
		work.Sandbox.WorkingDirectory, work.Sandbox.TempIsolation = test.dir, test.isolated
		h.has(work)
		result := h.execute(t.Context(), `{}`)
		got := strings.TrimSpace(strings.TrimPrefix(result.Stdout, "did nothing"))
		if !test.want(got) {
			t.Errorf("%s: started in %q, called from %q; error %v", test.name, got, h.dir, result.Error)
		}
	}
	if left := names(t, h.dir); len(left) > 0 {
		t.Errorf("left in the working directory: %q", left)
	}
}

func TestNewRefused(t *testing.T) {
	t.Parallel()
	if e, err := New(Options{InForce: func(tool.Workspace) Configuration { return Configuration{} }}); err == nil || e != nil {
		t.Errorf("got %v, %v; want an error about what is missing", e, err)
	}
	if a, b := randomID(), randomID(); a == b || !strings.HasPrefix(a, "call_") {
		t.Errorf("got ids %q and %q, want two", a, b)
	}
}
