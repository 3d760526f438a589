package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestAnswers checks what a person's answer leads to, whatever is wrong with it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	gaveUp := errors.New("the editor closed the session")
	for _, test := range []struct {
		name    string
		answers func(ctx context.Context, cancel context.CancelCauseFunc) (approval.Answer, error)
		runs    bool
		status  tool.Status
		code    tool.FailureCode
		says    string
	}{
		{"yes", func(context.Context, context.CancelCauseFunc) (approval.Answer, error) {
			return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
		}, true, tool.StatusCompleted, "", ""},
		{"no", func(context.Context, context.CancelCauseFunc) (approval.Answer, error) {
			return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson, Reason: "use the other branch"}, nil
		}, false, tool.StatusDenied, tool.FailDenied, "work was not run: the person said no: use the other branch"},
		{"neither", func(context.Context, context.CancelCauseFunc) (approval.Answer, error) {
			return approval.Answer{}, nil
		}, false, tool.StatusDenied, tool.FailDenied, "neither yes nor no"},
		{"nobody there", func(context.Context, context.CancelCauseFunc) (approval.Answer, error) {
			return approval.Answer{Verdict: permissions.Approve}, approval.ErrNobody
		}, false, tool.StatusDenied, tool.FailApproval, "nobody can be"},
		{"an error beside a yes", func(context.Context, context.CancelCauseFunc) (approval.Answer, error) {
			return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, errors.New("broken pipe")
		}, false, tool.StatusDenied, tool.FailDenied, "broken pipe"},
		{"withdrawn", func(ctx context.Context, cancel context.CancelCauseFunc) (approval.Answer, error) {
			cancel(gaveUp)
			<-ctx.Done()
			return approval.Answer{}, context.Cause(ctx)
		}, false, tool.StatusCancelled, tool.FailCancelled, "withdrawn"},
		{"yes to what was withdrawn", func(_ context.Context, cancel context.CancelCauseFunc) (approval.Answer, error) {
			cancel(gaveUp)
			return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
		}, false, tool.StatusCancelled, tool.FailCancelled, "withdrawn"},
	} {
		for _, confirmed := range []bool{false, true} { // asked because of a rule, or because the author wants it
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				verdict := permissions.Ask
				if confirmed {
					verdict = permissions.Approve
				}
				h := newHouse(t, rule(verdict))
				work := script(touch)
				work.Sandbox.RequiresConfirmation = confirmed
				h.has(work)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				h.answers = func(ctx context.Context, _ approval.Question) (approval.Answer, error) {
					return test.answers(ctx, cancel)
				}
				result := h.execute(ctx, `{}`)
				if h.hasRun() != test.runs || result.Status != test.status || codeOf(result) != test.code {
					t.Fatalf("got has run %t, status %s, error %v; want %t, %s, %q", h.hasRun(), result.Status, result.Error, test.runs, test.status, test.code)
				}
				if test.code != "" && !strings.Contains(result.Error.Message, test.says) {
					t.Errorf("got %q, want %q in it", result.Error.Message, test.says)
				}
				if test.runs != (result.ExitCode == 0) {
					t.Errorf("got exit code %d, has run %t", result.ExitCode, test.runs)
				}
				if decided := strings.Count(strings.Join(h.steps, "\n"), "record tool.decided"); decided != 1 {
					t.Errorf("%d decisions are on record, want one: %q", decided, h.steps)
				}
			})
		}
	}
}

// TestQuestion checks what the person reads.
func TestQuestion(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	work := script("rm -rf -- {{path}}\nprintf %s {{word}}\n")
	work.Name = "Remove"
	work.Parameters = append(work.Parameters, tool.Parameter{Name: "path", Type: tool.TypeString, Required: true})
	work.Sandbox.ConfirmationMessage = "Remove {{path}}?"
	h.has(work)
	var question approval.Question
	h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
		question = q
		return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson}, nil
	}
	h.execute(t.Context(), `{"path":"src/\u202ex","word":"a\nb = c"}`)
	text := "Remove src/\\u{202e}x?\n\nAsked because: the request cannot be believed: it holds the hidden character U+202E\n\n" +
		"```bash\nrm -rf -- {{path}}\nprintf %s {{word}}\n```\nwith\n```\npath = src/\\u{202e}x\nword = a\nb = c\n```\nin " + h.dir
	want := approval.Question{
		Session: "session", ToolCall: "toolu_1", Title: `Remove src/\u{202e}x`, Text: text,
		Action: permissions.ActionExecute, Paths: []string{"src/\u202ex"},
		Unkept: "the request cannot be believed, so you are asked every time",
		Door:   "mcp", Agent: "agent", CallID: "call-1", Digest: question.Digest, Bound: true,
		Basis: approval.Basis{Workspace: []string{h.dir}, Policy: question.Basis.Policy, Plan: question.Basis.Plan, Frame: question.Basis.Frame},
	}
	if diff := cmp.Diff(want, question); diff != "" || len(question.Digest) != 64 || len(question.Basis.Policy) != 64 || len(question.Basis.Plan) != 64 {
		t.Errorf("question (-want +got):\n%s", diff)
	}
}

// TestQuestionHidesNothing has a value in an author's own words that would hide, in Markdown, what stands
// behind them: the script, and the values that it is given.
func TestQuestionHidesNothing(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"x\n<!--", "x\n~~~", "[fine](x"} {
		h := newHouse(t)
		work := script("printf %s {{word}}\n")
		work.Sandbox.ConfirmationMessage = "Print {{word}}?"
		h.has(work)
		shown := ""
		h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
			shown = q.Text
			return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson}, nil
		}
		h.execute(t.Context(), fmt.Sprintf(`{"word":%q}`, value))
		if !strings.HasPrefix(shown, "```\nPrint "+value+"?\n```\n") {
			t.Errorf("%q is shown as %q", value, shown)
		}
	}
}

// TestAlways checks that an "always" holds for the session, for no other, and never where the author wants
// to ask every time.
func TestAlways(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		confirmed bool
		sessions  []string
		asked     int
	}{
		{"one session", false, []string{"a", "a", "a"}, 1},
		{"another session", false, []string{"a", "b", "a"}, 2},
		{"no session", false, []string{"", ""}, 2},
		{"requires confirmation", true, []string{"a", "a"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			work := script(touch)
			work.Sandbox.RequiresConfirmation = test.confirmed
			h.has(work)
			asked := 0
			h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
				asked++
				if q.Once != test.confirmed {
					t.Errorf("got once %t of a tool that requires confirmation: %t", q.Once, test.confirmed)
				}
				return approval.Answer{Verdict: permissions.Approve, Always: 1, Source: permissions.SourcePerson}, nil
			}
			for _, session := range test.sessions {
				h.session = session
				if result := h.execute(t.Context(), `{}`); result.Status != tool.StatusCompleted {
					t.Errorf("got %+v", result.Error)
				}
			}
			if asked != test.asked {
				t.Errorf("asked %d times, want %d", asked, test.asked)
			}
		})
	}
}

// TestWhatChangesWhileAsking checks that an answer is to the question that was asked, under the rules that
// it was asked by.
func TestWhatChangesWhileAsking(t *testing.T) {
	t.Parallel()
	yes := approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}
	t.Run("rules", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, rule(permissions.Ask))
		h.has(script(touch))
		h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
			h.authority = h.authority.With(permissions.NewSet([]permissions.File{{Version: permissions.Version2, Rules: []permissions.Rule{rule(permissions.Reject)}}}), nil)
			return yes, nil
		}
		result := h.execute(t.Context(), `{}`)
		if h.hasRun() || codeOf(result) != tool.FailDenied || !strings.Contains(result.Error.Message, "no longer holds") || result.ExitCode != -1 {
			t.Errorf("got has run %t, %+v, error %v; want a refusal", h.hasRun(), result, result.Error)
		}
	})
	t.Run("what is known of programs", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, rule(permissions.Ask))
		h.has(script(touch))
		h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
			own, err := command.Read("commands.yaml", []byte("version: 1\nprograms:\n  - names: touch\n    asks: true\n"))
			if err != nil {
				t.Error(err)
			}
			h.authority = h.authority.With(permissions.NewSet([]permissions.File{{Version: permissions.Version2,
				Rules: []permissions.Rule{rule(permissions.Ask)}}}), own)
			return yes, nil
		}
		result := h.execute(t.Context(), `{}`)
		if h.hasRun() || codeOf(result) != tool.FailDenied || !strings.Contains(result.Error.Message, "no longer holds") {
			t.Errorf("got has run %t, %+v, error %v; want a refusal", h.hasRun(), result, result.Error)
		}
	})
	t.Run("tools", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		before, after := script(touch), script("exit 1")
		before.Sandbox.ConfirmationMessage, after.Sandbox.ConfirmationMessage = "the question before", "the question after"
		h.has(before)
		h.decides = func() { h.has(after) }
		h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
			if !strings.Contains(q.Text, "the question before") || !strings.Contains(q.Text, effect) {
				t.Errorf("the person was asked %q, want the question that belongs to the script", q.Text)
			}
			return yes, nil
		}
		result := h.execute(t.Context(), `{"word":"x"}`)
		if h.hasRun() || codeOf(result) != tool.FailDenied || !strings.Contains(result.Error.Message, "changed while the question was open") {
			t.Errorf("got has run %t, %q, error %v; want a refusal", h.hasRun(), result.Stdout, result.Error)
		}
		if want := "record tool.decided reject fault"; !slices.Contains(h.steps, want) {
			t.Errorf("%q is not on record: %q", want, h.steps)
		}
	})
	t.Run("tools, which say the same", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.has(script(touch))
		h.decides = func() { h.has(script(touch)) }
		h.answers = func(context.Context, approval.Question) (approval.Answer, error) { return yes, nil }
		if result := h.execute(t.Context(), `{"word":"x"}`); result.Stdout != "did x" {
			t.Errorf("got %q, %v; want the call that was approved", result.Stdout, result.Error)
		}
	})
	t.Run("the tool goes", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.has(script(touch))
		h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
			h.tools = h.tools.With(nil)
			return yes, nil
		}
		if result := h.execute(t.Context(), `{}`); h.hasRun() || codeOf(result) != tool.FailDenied {
			t.Errorf("got has run %t, error %v; want a refusal", h.hasRun(), result.Error)
		}
	})
}

// TestLinksThatChange has an agent lay a link to another file where a call's file was, after the call was
// decided: while a person reads, while the decision is recorded, between two attempts, and before a result
// that was kept is given out.
func TestLinksThatChange(t *testing.T) {
	t.Parallel()
	yes := func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, Always: 1}, nil
	}
	for _, test := range []struct {
		name, script string
		verdict      permissions.Verdict
		retry        tool.Retry
		caching      bool
		when         func(h *house, change func())
	}{
		{"while a person reads", `cat {{file}}; touch ` + effect, permissions.Ask, tool.Retry{}, false, func(h *house, change func()) {
			h.answers = func(ctx context.Context, q approval.Question) (approval.Answer, error) {
				change()
				return yes(ctx, q)
			}
		}},
		{"once it is decided", `cat {{file}}; touch ` + effect, permissions.Approve, tool.Retry{}, false, func(h *house, change func()) {
			h.decides = change
		}},
		{"between attempts", `[[ $(cat {{file}}) == key ]] || exit 1; cat {{file}}; touch ` + effect, permissions.Approve, thrice, false, func(h *house, change func()) {
			h.sleeps = func(context.Context) error { change(); return nil }
		}},
		{"before a kept result", `cat {{file}}`, permissions.Approve, tool.Retry{}, true, func(*house, func()) {}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(test.verdict))
			h.answers = yes
			work := script(test.script)
			work.Parameters = append(work.Parameters, tool.Parameter{Name: "file", Type: tool.TypeString, Format: tool.FormatPath})
			work.Retry = test.retry
			work.Caching = tool.Caching{Enabled: test.caching, TTL: time.Hour, Results: 10, Bytes: 1 << 20}
			h.has(work)
			for name, text := range map[string]string{"a.md": "plain", "key.txt": "key"} {
				if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			link := func(target string) {
				name := filepath.Join(h.dir, "link.md")
				_ = os.Remove(name)
				if err := os.Symlink(target, name); err != nil {
					t.Error(err)
				}
			}
			link("a.md")
			test.when(h, func() { link("key.txt") })
			if test.caching {
				link("key.txt")
				if result := h.execute(t.Context(), `{"file":"link.md"}`); result.Stdout != "key" {
					t.Fatalf("got %q, %v", result.Stdout, result.Error)
				}
				link("a.md")
			}
			result := h.execute(t.Context(), `{"file":"link.md"}`)
			if strings.Contains(result.Stdout, "key") || !test.caching && (h.hasRun() || result.Status == tool.StatusCompleted) {
				t.Errorf("got %q, %s, %v", result.Stdout, result.Status, result.Error)
			}
			if slices.Contains(h.steps, "remember") {
				t.Errorf("the always is kept, and is for another file: %q", h.steps)
			}
		})
	}
}

// TestAYesIsForTheToolAsItWas has a person say yes to an agent's question about a call, and what the call
// is change before it is made.
func TestAYesIsForTheToolAsItWas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(h *house, work *tool.Tool)
		asked  bool
	}{
		{"nothing", func(*house, *tool.Tool) {}, false},
		{"its script", func(_ *house, work *tool.Tool) { work.Script += "; date" }, true},
		{"its sandbox", func(_ *house, work *tool.Tool) {
			work.Sandbox.AllowedPaths = []tool.AllowedPath{{Path: ".", ReadOnly: true}}
		}, true},
		{"its file", func(h *house, _ *tool.Tool) {
			if err := os.Symlink("b.md", filepath.Join(h.dir, "a.md")); err != nil {
				t.Error(err)
			}
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Ask))
			asked := false
			h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
				asked = true
				return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson}, nil
			}
			tools := func() *tool.Tool {
				work := script(`: {{file}}`)
				work.Parameters = append(work.Parameters, tool.Parameter{Name: "file", Type: tool.TypeString, Format: tool.FormatPath})
				return work
			}
			h.has(tools())
			request := h.executor.Request(h.call(`{"file":"a.md"}`))
			h.executor.gate.Allow(h.session, gate.CallOf(request), permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePerson})
			work := tools()
			test.change(h, work)
			h.has(work)
			if result := h.execute(t.Context(), `{"file":"a.md"}`); asked != test.asked || (result.Status == tool.StatusCompleted) == test.asked {
				t.Errorf("asked %t: %s, %v", asked, result.Status, result.Error)
			}
		})
	}
}

// TestRulesOfTheWorkspace guards against a defect: a session whose workspace has rules of its own could not
// run any tool, because its grants were compared with the common rules alone.
func TestRulesOfTheWorkspace(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.has(script(touch))
	never := permissions.Rule{ID: "never", AppliesTo: []string{"deploy"}, Verdict: permissions.Reject}
	h.authority = h.authority.WithOwn(tool.Workspace{Root: h.dir}, []permissions.File{{Version: permissions.Version2, Rules: []permissions.Rule{never}}})
	if result := h.execute(t.Context(), `{}`); result.Status != tool.StatusCompleted || !h.hasRun() {
		t.Errorf("got %s, %v; want a call that ran", result.Status, result.Error)
	}
	never.AppliesTo = []string{"work"}
	h.authority = h.authority.WithOwn(tool.Workspace{Root: h.dir}, []permissions.File{{Version: permissions.Version2, Rules: []permissions.Rule{never}}})
	if result := h.execute(t.Context(), `{}`); codeOf(result) != tool.FailDenied {
		t.Errorf("got %s, %v; want a call that the workspace rejects", result.Status, result.Error)
	}
}

// TestCancelled checks that the caller's end is the end of what runs, and is on record.
func TestCancelled(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.has(script(touch + `; echo up > fifo; sleep 1000`))
	fifo := filepath.Join(h.dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // ends with the tool's writing
		_, _ = os.ReadFile(fifo)
		cancel()
	}()
	result := h.execute(ctx, `{}`)
	if result.Status != tool.StatusCancelled || codeOf(result) != tool.FailCancelled || result.ExitCode != 128+int(syscall.SIGTERM) {
		t.Errorf("got %+v, error %v; want a cancelled call", result, result.Error)
	}
	if end := h.steps[len(h.steps)-1]; end != "record tool.ended cancelled, after the effect" {
		t.Errorf("the last step is %q, want its end on record", end)
	}
}

// TestNoAnswer checks that a question waits as long as it may and not longer, that nobody's answer is a no,
// and that it is told from a caller who gives up.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		patience time.Duration
		after    time.Duration // when the answer comes
		gone     time.Duration // when the caller gives up; 0: never
		runs     bool
		status   tool.Status
		code     tool.FailureCode
		source   string
		says     string
	}{
		{"in time", 0, DefaultPatience - time.Second, 0, true, tool.StatusCompleted, "", "person", ""},
		{"late", 0, DefaultPatience + time.Second, 0, false, tool.StatusDenied, tool.FailApproval, "nobody", "nobody answered within 10m0s, which counts as no"},
		{"late for somebody of less patience", time.Second, time.Minute, 0, false, tool.StatusDenied, tool.FailApproval, "nobody", "nobody answered within 1s"},
		{"given up before", 0, time.Hour, time.Minute, false, tool.StatusCancelled, tool.FailCancelled, "fault", "withdrawn"},
	} {
		synctestRun(t, test.name, func(t *testing.T) {
			h := newTimedHouse(t, rule(permissions.Approve))
			work := script(touch)
			work.Sandbox.RequiresConfirmation = true
			h.has(work)
			if test.patience > 0 {
				h.executor.patience = test.patience
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.gone > 0 {
				defer time.AfterFunc(test.gone, cancel).Stop()
			}
			h.answers = func(ctx context.Context, _ approval.Question) (approval.Answer, error) {
				if err := sleepFor(ctx, test.after); err != nil {
					return approval.Answer{}, fmt.Errorf("withdrawn: %w", err)
				}
				return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
			}
			result := h.execute(ctx, `{}`)
			if h.hasRun() != test.runs || result.Status != test.status || codeOf(result) != test.code {
				t.Fatalf("got has run %t, %s, %v; want %t, %s, %q", h.hasRun(), result.Status, result.Error, test.runs, test.status, test.code)
			}
			if test.code != "" && !strings.Contains(result.Error.Message, test.says) {
				t.Errorf("got %q, want %q in it", result.Error.Message, test.says)
			}
			if decided := h.of(events.ToolDecided); len(decided) != 1 || decided[0].Decision.Source != test.source {
				t.Errorf("on record: %+v, want one decision by %s", decided, test.source)
			}
		})
	}
}

// TestQuestionOfPolicies checks that the person reads what a yes may lead to beside one run.
func TestQuestionOfPolicies(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	work := script(touch)
	work.Retry, work.Caching = thrice, tool.DefaultCaching()
	h.has(work)
	text := ""
	h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
		text = q.Text
		return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson}, nil
	}
	h.execute(t.Context(), `{}`)
	if want := "\nin " + h.dir + "\nup to 3 times, while it fails\nor answered with the result of such a call of the last 5m0s"; !strings.HasSuffix(text, want) {
		t.Errorf("the person reads %q, want %q at its end", text, want)
	}
}

// TestPrincipalIsRecorded has two callers of one name: a principal of the daemon, who is on record from the
// question to the end and whom an answer is bound to, and an agent whose command is called so, which is not.
func TestPrincipalIsRecorded(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, test := range []struct {
		name      string
		served    bool
		arguments string
		want      string
	}{
		{"a principal of the daemon", true, `{"word":"x"}`, "ci"},
		{"a principal of the daemon, wrong arguments", true, `{"wrod":"x"}`, "ci"},
		{"an agent's command", false, `{"word":"x"}`, ""},
	} {
		h := newHouse(t)
		h.has(script(touch))
		h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
			if q.Principal != test.want {
				t.Errorf("%s: the question is of %q", test.name, q.Principal)
			}
			keys[q.Basis.Caller] = true
			return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
		}
		call := h.call(test.arguments)
		call.Origin.Principal, call.Origin.Served = "ci", test.served
		h.executor.Execute(t.Context(), call, person{h})
		for _, event := range h.events {
			if event.Principal != test.want {
				t.Errorf("%s: %s is recorded of %q, want %q", test.name, event.Type, event.Principal, test.want)
			}
		}
		if len(h.events) == 0 {
			t.Errorf("%s: nothing is recorded", test.name)
		}
	}
	if len(keys) != 2 {
		t.Errorf("answers are bound to %v, want one for each caller", keys)
	}
}
