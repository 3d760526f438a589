package executor

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// council is a Governors that says what a test wants, and keeps what it was told.
type council struct {
	h        *house
	ruling   permissions.Ruling
	screened permissions.Screened
	told     []permissions.Review
	seen     []permissions.Finished
	hash     string
	blind    bool   // it looks at no output
	asked    func() // what else happens while they are asked
}

func (c *council) Active(tool.Workspace) bool { return true }

func (c *council) Forget(string) {}

func (c *council) Screens(tool.Workspace, string) bool { return !c.blind }

func (c *council) Hash(tool.Workspace) string { return c.hash }

func (c *council) Review(_ context.Context, r permissions.Review) permissions.Ruling {
	c.h.step("govern " + r.Decided.Verdict.String())
	c.told = append(c.told, r)
	if c.asked != nil {
		c.asked()
	}
	c.ruling.Governance = tool.Governance{Phase: tool.PhasePermission, Answers: []tool.GovernorAnswer{{Governor: "g", Status: "x", Messages: []string{c.ruling.Reason}}}}
	return c.ruling
}

func (c *council) Screen(_ context.Context, f permissions.Finished) permissions.Screened {
	c.h.step("screen")
	c.seen = append(c.seen, f)
	return c.screened
}

func newCouncil(h *house, ruling permissions.Ruling) *council {
	c := &council{h: h, ruling: ruling, screened: permissions.Screened{Silent: true}}
	h.council = c
	return c
}

// TestGovernors checks where governors stand in the order of a call: after the rules, before the person, on
// record before anything follows from what they say.
func TestGovernors(t *testing.T) {
	t.Parallel()
	yes := func(context.Context, approval.Question) (approval.Answer, error) {
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
	}
	says := func(v permissions.Verdict) permissions.Ruling {
		return permissions.Ruling{Verdict: v, Governor: "g", At: "governors.yaml:3", Reason: "because"}
	}
	ran := []string{"record tool.started", "run", "screen, after the effect", "record tool.ended completed, after the effect"}
	for _, test := range []struct {
		name    string
		verdict permissions.Verdict
		ruling  permissions.Ruling
		answers func(context.Context, approval.Question) (approval.Answer, error)
		want    []string
		runs    bool
		code    tool.FailureCode
		says    string
	}{
		{"a veto", permissions.Approve, says(permissions.Reject), yes, []string{
			"plan", "decide approve", "govern approve", "record governors.asked", "record tool.decided reject governor",
		}, false, tool.FailDenied, "governor g (governors.yaml:3) rejects it: because"},
		{"no objection", permissions.Approve, says(permissions.Approve), nil, append([]string{
			"plan", "decide approve", "govern approve", "record governors.asked", "record tool.decided approve policy", "decide approve",
		}, ran...), true, "", ""},
		{"a person is asked, says yes", permissions.Approve, says(permissions.Ask), yes, append([]string{
			"plan", "decide approve", "govern approve", "record governors.asked", "record approval.asked ask governor", "ask", "record tool.decided approve person", "decide approve",
		}, ran...), true, "", ""},
		{"a person is to be asked, and there is none", permissions.Approve, says(permissions.Ask), nil, []string{
			"plan", "decide approve", "govern approve", "record governors.asked", "record approval.asked ask governor", "ask", "record tool.decided reject nobody",
		}, false, tool.FailApproval, "because"},
		{"before the person is bothered", permissions.Ask, says(permissions.Reject), yes, []string{
			"plan", "decide ask", "govern ask", "record governors.asked", "record tool.decided reject governor",
		}, false, tool.FailDenied, "because"},
		{"nothing lifts a rule's question", permissions.Ask, permissions.Ruling{Verdict: permissions.Approve, Governor: "g", Answers: true}, nil, []string{
			"plan", "decide ask", "govern ask", "record governors.asked", "record approval.asked ask policy", "ask", "record tool.decided reject nobody",
		}, false, tool.FailApproval, ""},
		{"nothing lifts a rejection", permissions.Reject, permissions.Ruling{Verdict: permissions.Approve, Governor: "g", Answers: true}, yes, []string{
			"plan", "decide reject", "record tool.decided reject policy",
		}, false, tool.FailDenied, "house-rule"},
		{"what says nothing asks", permissions.Approve, permissions.Ruling{}, nil, []string{
			"plan", "decide approve", "govern approve", "record governors.asked", "record approval.asked ask governor", "ask", "record tool.decided reject nobody",
		}, false, tool.FailApproval, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(test.verdict))
			h.has(script(touch))
			h.answers = test.answers
			newCouncil(h, test.ruling)
			result := h.execute(t.Context(), `{"word":"x"}`)
			if diff := cmp.Diff(test.want, h.steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if h.hasRun() != test.runs || codeOf(result) != test.code {
				t.Fatalf("got has run %t, error %v; want %t, %q", h.hasRun(), result.Error, test.runs, test.code)
			}
			if test.code != "" && !strings.Contains(result.Error.Message, test.says) {
				t.Errorf("got %q, want %q in it", result.Error.Message, test.says)
			}
		})
	}
}

// TestGovernorsOpen checks that a governor answers in a person's place where nothing but the default asks.
func TestGovernorsOpen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.has(script(touch))
	newCouncil(h, permissions.Ruling{Verdict: permissions.Approve, Governor: "g", At: "governors.yaml:3", Answers: true})
	result := h.execute(t.Context(), `{"word":"x"}`)
	if d := result.Metadata.Decision; !h.hasRun() || d == nil || d.Source != "governor" || d.Rule != "g" || d.At != "governors.yaml:3" {
		t.Errorf("got has run %t, decision %+v", h.hasRun(), d)
	}
}

// TestGovernorsNotRecorded checks that what governors said must be on record before it counts.
func TestGovernorsNotRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.has(script(touch))
	h.refuses[events.GovernorsAsked] = errors.New("no space")
	newCouncil(h, permissions.Ruling{Verdict: permissions.Approve, Governor: "g"})
	if result := h.execute(t.Context(), `{}`); h.hasRun() || codeOf(result) != tool.FailInternal || !strings.Contains(result.Error.Message, "no space") {
		t.Errorf("got has run %t, %v", h.hasRun(), result.Error)
	}
}

// TestGovernorsSeeNoSecrets checks that a secret parameter reaches no governor, and that one which repeats
// it is masked.
func TestGovernorsSeeNoSecrets(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-the-secret"
	h := newHouse(t, rule(permissions.Approve))
	work := script(`echo {{path}} {{word}}`)
	work.Parameters = []tool.Parameter{{Name: "path", Type: tool.TypeString, Secret: true}, {Name: "word", Type: tool.TypeString}}
	h.has(work)
	c := newCouncil(h, permissions.Ruling{Verdict: permissions.Reject, Governor: "g", Reason: "do not use " + secret, FollowUp: "say " + secret})
	result := h.execute(t.Context(), `{"path":"`+secret+`","word":"open"}`)
	if len(c.told) != 1 || c.told[0].Arguments["path"] != hidden || c.told[0].Arguments["word"] != "open" || c.told[0].Script == "" || c.told[0].Digest == "" {
		t.Fatalf("got %+v", c.told)
	}
	for what, text := range map[string]string{"the governors": dump(t, c.told), "the result": dump(t, result), "the record": h.recorded()} {
		if strings.Contains(text, secret) {
			t.Errorf("%s: the secret is in %s", what, text)
		}
	}
}

// TestScreened checks what becomes of output: it is replaced or withheld, and what was done stays told.
func TestScreened(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name           string
		screened       permissions.Screened
		stdout, stderr string
	}{
		{"as it is", permissions.Screened{Silent: true, Stdout: "never"}, "did x", ""},
		{"replaced", permissions.Screened{Stdout: "clean", Stderr: "e", Governor: "g", At: "governors.yaml:9"}, "clean", "e"},
		{"withheld", permissions.Screened{Stdout: "leak", Withheld: "private", Governor: "g", At: "governors.yaml:9"}, "", "[the output was withheld by governor g (governors.yaml:9): private]\n"},
		{"with a prompt", permissions.Screened{Stdout: "did x", FollowUp: "run the tests", Governor: "g"}, "did x", "[governor g asks: run the tests]\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			h.has(script(touch))
			c := newCouncil(h, permissions.Ruling{Silent: true})
			c.screened = test.screened
			result := h.execute(t.Context(), `{"word":"x"}`)
			if result.Stdout != test.stdout || result.Stderr != test.stderr {
				t.Errorf("got %q, %q; want %q, %q", result.Stdout, result.Stderr, test.stdout, test.stderr)
			}
			if !h.hasRun() || result.Status != tool.StatusCompleted || result.ExitCode != 0 || result.Error != nil {
				t.Errorf("what was done is unsaid: %+v", result)
			}
			if len(c.seen) != 1 || c.seen[0].Result.Stdout != "did x" {
				t.Errorf("the governors saw %+v", c.seen)
			}
		})
	}
}

func dump(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// TestScreenedBeforeItIsKept checks that what a governor takes out of the output stands nowhere: not in the
// file that keeps the whole of a long stream, not in the record, and not in a result that is kept for the
// next caller, who is governed anew.
func TestScreenedBeforeItIsKept(t *testing.T) {
	t.Parallel()
	const leak = "the-leaked-value"
	h := newHouse(t, rule(permissions.Approve))
	dir := filepath.Join(t.TempDir(), "blobs")
	h.executor.blobs = &blob.Store{Dir: dir}
	work := script(`printf '%s %s\n' {{word}}; for i in {1..300}; do echo "line $i ` + leak + `"; done`)
	work.Output = tool.Output{Keep: 200, Spill: true}
	work.Caching = tool.Caching{Enabled: true, TTL: time.Hour, Bytes: 1 << 20, Results: 4}
	h.has(work)
	c := newCouncil(h, permissions.Ruling{Silent: true})
	clean := strings.Repeat("clean line\n", 300)
	c.screened = permissions.Screened{Stdout: clean, Governor: "g", At: "governors.yaml:9"}
	for i := range 2 {
		result := h.execute(t.Context(), `{"word":"x"}`)
		if result.Cached != (i == 1) || len(c.seen) != i+1 || !strings.Contains(c.seen[i].Result.Stdout, "line 300 "+leak) {
			t.Fatalf("call %d: cached %t, the governors were told %d times", i, result.Cached, len(c.seen))
		}
		kept, _ := result.Metadata.Diagnostics[tool.BlobsKey].(map[string]blob.Blob)
		data, err := os.ReadFile(kept["stdout"].Path)
		if err != nil || string(data) != clean {
			t.Errorf("call %d: the file holds %d bytes, %v", i, len(data), err)
		}
		if text := dump(t, result) + h.recorded(); strings.Contains(text, leak) {
			t.Errorf("call %d: the value is in %s", i, text)
		}
		if result.Metadata.Diagnostics[tool.OutputGovernorKey] == nil {
			t.Errorf("call %d: nobody is told", i)
		}
	}
}

// TestAttemptsKeepNoOutput checks that what a run has put out that is not the last one of its act stands
// nowhere, since no governor has screened it: in no file, not in the record, and not by its hash.
func TestAttemptsKeepNoOutput(t *testing.T) {
	t.Parallel()
	const leak = "the-leaked-value"
	h := newHouse(t, rule(permissions.Approve))
	dir := filepath.Join(t.TempDir(), "blobs")
	h.executor.blobs = &blob.Store{Dir: dir}
	work := script(`echo x >> runs; for i in {1..300}; do echo "line $i ` + leak + `"; done; echo "` + leak + `: command not found" >&2; [ "$(wc -l < runs)" -ge 3 ] || exit 1; : {{word}}`)
	work.Retry, work.Output = thrice, tool.Output{Keep: 200, Spill: true}
	h.has(work)
	c := newCouncil(h, permissions.Ruling{Silent: true})
	clean := strings.Repeat("clean line\n", 300)
	c.screened = permissions.Screened{Stdout: clean, Governor: "g", At: "governors.yaml:9"}
	result := h.execute(t.Context(), `{}`)
	attempts := h.of(events.ToolAttempted)
	if result.ExitCode != 0 || len(attempts) != 2 || len(c.seen) != 1 {
		t.Fatalf("got code %d, %d attempts on record, screened %d times", result.ExitCode, len(attempts), len(c.seen))
	}
	for _, attempt := range attempts {
		if o := attempt.Outcome; o.OutputHash != "" || o.ExitCode == nil || *o.ExitCode != 1 || o.Bytes == 0 {
			t.Errorf("on record is %+v", o)
		}
	}
	if text := dump(t, result) + h.recorded(); strings.Contains(text, leak) {
		t.Errorf("the value is in %s", text)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("the screened output of the last run is not kept: %v, %v", kept, err)
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && string(data) != clean {
			t.Errorf("%s holds %d bytes that nobody has screened", path, len(data))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestGovernorsChange checks that a grant does not outlive the governors that were asked about it: not
// where they change while a person is asked, not while they are asked themselves, and not between two
// attempts.
func TestGovernorsChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(h *house, c *council)
		runs   int
	}{
		{"nothing changes", func(*house, *council) {}, 3},
		{"while the person is asked", func(h *house, c *council) {
			h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
				c.hash = "others"
				return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
			}
		}, 0},
		{"while they are asked", func(h *house, c *council) { c.asked = func() { c.hash = "others" } }, 0},
		{"they are gone", func(h *house, c *council) { c.asked = func() { c.hash = "" } }, 0},
		{"between two attempts", func(h *house, c *council) {
			h.sleeps = func(context.Context) error { c.hash = "others"; return nil }
		}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Ask))
			work := script(third)
			work.Retry = thrice
			h.has(work)
			h.answers = func(context.Context, approval.Question) (approval.Answer, error) {
				return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
			}
			c := newCouncil(h, permissions.Ruling{Silent: true})
			c.hash = "those"
			test.change(h, c)
			result := h.execute(t.Context(), `{}`)
			if h.ranTimes() != test.runs {
				t.Fatalf("ran %d times, want %d: %+v", h.ranTimes(), test.runs, result.Error)
			}
			if test.runs == 0 && (codeOf(result) != tool.FailDenied || !strings.Contains(result.Error.Message, "no longer holds")) {
				t.Errorf("got %v", result.Error)
			}
			if told, _ := result.Metadata.Diagnostics["not_tried_again"].(string); test.runs == 1 && !strings.Contains(told, "no longer holds") {
				t.Errorf("got %q", told)
			}
		})
	}
}
