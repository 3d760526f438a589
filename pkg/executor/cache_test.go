package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// caching makes a tool whose results are kept, and which says the how manieth run it was.
func caching() *tool.Tool {
	work := script(`echo x >> runs; printf 'run %s: %s' "$(wc -l < runs)" {{word}}; echo said >&2; exit "$(cat code 2>/dev/null || echo 0)"`)
	work.Caching = tool.DefaultCaching()
	return work
}

// TestKeptResult checks what a caller gets in place of a run, and what is on record of it.
func TestKeptResult(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.has(caching())
	first := h.call(`{"word":"x"}`)
	first.ID = "the first"
	ran := h.executor.Execute(t.Context(), first, person{h})
	h.steps = nil
	got := h.execute(t.Context(), `{"word":"x"}`)
	if ran.Cached || !got.Cached || h.ranTimes() != 1 {
		t.Fatalf("cached %t and then %t, ran %d times; want the second from the first", ran.Cached, got.Cached, h.ranTimes())
	}
	if got.Stdout != "run 1: x" || got.Stderr != "said\n" || got.Status != tool.StatusCompleted || got.ExitCode != 0 || got.OutputLength != 13 || got.CallID != "call-1" {
		t.Errorf("got %+v, want what the first run said, under an id of its own", got)
	}
	// The call is decided, recorded and asked about once more like any other.
	want := "plan, decide approve, record tool.decided approve policy, decide approve, record tool.ended completed"
	if steps := strings.Join(h.steps, ", "); steps != want {
		t.Errorf("steps: %s, want %s", steps, want)
	}
	end := h.of(events.ToolEnded)[1]
	if !end.Outcome.Cached || end.Outcome.SameAs != "the first" {
		t.Errorf("the record says %+v, want that it is the result of the first", end.Outcome)
	}
}

// TestSameCall checks which calls get the result of the one before them.
func TestSameCall(t *testing.T) {
	t.Parallel()
	token := tool.Parameter{Name: "token", Type: tool.TypeString, Secret: true}
	for _, test := range []struct {
		name   string
		tool   func(*tool.Tool) // of both calls
		again  func(*tool.Tool) // of the second
		first  func(*tool.Call) // another first call
		change func(*tool.Call) // another second call
		same   bool
	}{
		{name: "the same", same: true},
		{name: "another agent in another session", change: func(c *tool.Call) { c.Origin = tool.Origin{Door: tool.DoorCLI, Agent: "b", Session: "b"} }, same: true},
		{name: "the default, written out", change: func(c *tool.Call) { c.Arguments = json.RawMessage(`{ "word": "nothing" }`) }, same: true},
		{name: "results are not kept", tool: func(t *tool.Tool) { t.Caching = tool.Caching{} }},
		{name: "another argument", change: func(c *tool.Call) { c.Arguments = json.RawMessage(`{"word":"y"}`) }},
		{name: "another workspace", change: func(c *tool.Call) { c.Workspace.Additional = []string{"/srv"} }},
		{name: "no workspace", change: func(c *tool.Call) { c.Workspace = tool.Workspace{} }},
		{name: "another directory", tool: func(t *tool.Tool) { t.Sandbox.WorkingDirectory = "" }, change: func(c *tool.Call) { c.Dir = filepath.Dir(c.Dir) }},
		{name: "another script", again: func(t *tool.Tool) { t.Script += "\n" }},
		{name: "other limits", again: func(t *tool.Tool) { t.Sandbox.Limits.OpenFiles-- }},
		{name: "another environment", again: func(t *tool.Tool) { t.Sandbox.Environment = map[string]string{"A": "b"} }},
		{name: "another description", again: func(t *tool.Tool) { t.Description = "x" }, same: true},
		{name: "kept in another way", again: func(t *tool.Tool) { t.Caching.TTL++ }},
		{name: "a secret", tool: func(t *tool.Tool) { t.Parameters = append(t.Parameters, token) },
			first: func(c *tool.Call) { c.Arguments = json.RawMessage(`{"token":"hunter2"}`) }, change: func(c *tool.Call) { c.Arguments = json.RawMessage(`{"token":"hunter2"}`) }},
		{name: "a secret that is not given", tool: func(t *tool.Tool) { t.Parameters = append(t.Parameters, token) }, same: true},
		{name: "a key that leaves an argument out", tool: func(t *tool.Tool) { t.Caching.Key = "all" }, change: func(c *tool.Call) { c.Arguments = json.RawMessage(`{"word":"y"}`) }, same: true},
		{name: "a key with the argument", tool: func(t *tool.Tool) { t.Caching.Key = "{{word}}" }, change: func(c *tool.Call) { c.Arguments = json.RawMessage(`{"word":"y"}`) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			apply := func(changes ...func(*tool.Tool)) {
				work := caching()
				work.Sandbox.WorkingDirectory = h.dir
				for _, change := range changes {
					if change != nil {
						change(work)
					}
				}
				h.has(work)
			}
			execute := func(change func(*tool.Call)) tool.Result {
				call := h.call(`{}`)
				if change != nil {
					change(&call)
				}
				return h.executor.Execute(t.Context(), call, person{h})
			}
			apply(test.tool)
			execute(test.first)
			apply(test.tool, test.again)
			if result := execute(test.change); result.Cached != test.same || result.Status != tool.StatusCompleted {
				t.Errorf("got cached %t, %s, %v; want %t", result.Cached, result.Status, result.Error, test.same)
			}
		})
	}
}

// TestNotKept checks what is never kept, however the author wants it, and how long the rest is.
func TestNotKept(t *testing.T) {
	t.Parallel()
	synctestRun(t, "a failure", func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Approve))
		h.has(caching())
		h.ends("1")
		h.execute(t.Context(), `{}`)
		h.ends("0")
		if result := h.execute(t.Context(), `{}`); result.Cached || result.Stdout != "run 2: nothing" {
			t.Errorf("got cached %t, %q; want a run of its own", result.Cached, result.Stdout)
		}
	})
	for name, outcome := range map[string]sandbox.Outcome{
		"a call that was given up":               {Cancelled: true},
		"a call that took too long":              {TimedOut: true},
		"a call that hit a limit":                {LimitsHit: []string{"processes"}},
		"half a result":                          {Truncated: true},
		"a call that may still run":              {Lost: 1},
		"a call that ended with a signal":        {ExitCode: 139, Signal: "SIGSEGV"},
		"a call that failed in a way of its own": {ExitCode: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			h.has(caching())
			h.instead = func(context.Context) sandbox.Outcome { return outcome }
			h.execute(t.Context(), `{}`)
			h.instead = nil
			if result := h.execute(t.Context(), `{}`); result.Cached {
				t.Error("it is given out as a result")
			}
		})
	}
	synctestRun(t, "a result that is old", func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Approve))
		h.has(caching())
		h.execute(t.Context(), `{}`)
		time.Sleep(5*time.Minute - time.Second)
		if result := h.execute(t.Context(), `{}`); !result.Cached {
			t.Error("it ran anew before its time")
		}
		time.Sleep(time.Second)
		if result := h.execute(t.Context(), `{}`); result.Cached {
			t.Error("a result is given out that is as old as its time to live")
		}
	})
}

// TestKeptForOthers checks that nobody is given what the rules would keep from him: a call is decided
// whether its result is kept or not, and a key that takes two calls for the same does not turn the one into
// the other.
func TestKeptForOthers(t *testing.T) {
	t.Parallel()
	about := func(word string, verdict permissions.Verdict) permissions.Rule {
		r := rule(verdict)
		if word != "" {
			r.Parameters = map[string]any{"word": word}
		}
		return r
	}
	approve, reject, ask := permissions.Approve, permissions.Reject, permissions.Ask
	for _, test := range []struct {
		name    string
		key     string
		rules   []permissions.Rule
		later   []permissions.Rule // in force for the second call
		session string             // of the second call; the person allows session a everything, and others nothing
		word    string             // of the second call; the first says private
		stdout  string             // "" when the second must not be given anything
		cached  bool
	}{
		{"allowed both", "", []permissions.Rule{about("", approve)}, nil, "b", "private", "run 1: private", true},
		{"the same call, and not for him", "", nil, nil, "b", "private", "", false},
		{"the same call, and not any more", "", []permissions.Rule{about("", approve)}, []permissions.Rule{about("private", reject)}, "a", "private", "", false},
		{"one key for both, and both are allowed", "k", []permissions.Rule{about("", approve)}, nil, "b", "public", "run 1: private", true},
		{"one key for both, and the first is not allowed any more", "k", []permissions.Rule{about("", approve)},
			[]permissions.Rule{about("", approve), about("private", reject)}, "a", "public", "run 2: public", false},
		{"one key for both, and the first is asked", "k", []permissions.Rule{about("", approve), about("private", ask)}, nil, "b", "public", "run 2: public", false},
		{"one key for both, and the first is allowed in his session", "k", []permissions.Rule{about("public", approve)}, nil, "a", "public", "run 1: private", true},
		{"one key for both, and the first is allowed in another session", "k", []permissions.Rule{about("public", approve)}, nil, "b", "public", "run 2: public", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, test.rules...)
			h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
				if q.Session != "a" {
					return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson}, nil
				}
				return approval.Answer{Verdict: permissions.Approve, Always: 1, Source: permissions.SourcePerson}, nil
			}
			work := caching()
			work.Caching.Key = test.key
			h.has(work)
			h.session = "a"
			if first := h.execute(t.Context(), `{"word":"private"}`); first.Stdout != "run 1: private" {
				t.Fatalf("the first call: %q, %v", first.Stdout, first.Error)
			}
			if test.later != nil {
				h.authority = h.authority.With(permissions.NewSet([]permissions.File{{Version: permissions.Version2, Rules: test.later}}), nil)
			}
			h.session = test.session
			result := h.execute(t.Context(), `{"word":"`+test.word+`"}`)
			if result.Stdout != test.stdout || result.Cached != test.cached || (codeOf(result) == tool.FailDenied) != (test.stdout == "") {
				t.Errorf("got %q, cached %t, error %v; want %q, %t", result.Stdout, result.Cached, result.Error, test.stdout, test.cached)
			}
			if decided := h.count("record tool.decided"); decided != 2 {
				t.Errorf("%d decisions are on record of two calls", decided)
			}
		})
	}
}

// TestKeptForAnotherMode has rules allow a call in one mode only, and a caller in another one make a call
// of the same key.
func TestKeptForAnotherMode(t *testing.T) {
	t.Parallel()
	public, private := rule(permissions.Approve), rule(permissions.Approve)
	public.Parameters = map[string]any{"word": "public"}
	private.Parameters, private.Modes = map[string]any{"word": "private"}, []string{"review"}
	for mode, want := range map[string]string{"review": "run 1: private", "edit": "run 2: public"} {
		h := newHouse(t, public, private)
		work := caching()
		work.Caching.Key = "k"
		h.has(work)
		first := h.call(`{"word":"private"}`)
		first.Origin.Mode = "review"
		if result := h.executor.Execute(t.Context(), first, person{h}); result.Stdout != "run 1: private" {
			t.Fatalf("the first call: %q, %v", result.Stdout, result.Error)
		}
		second := h.call(`{"word":"public"}`)
		second.Origin.Mode = mode
		if result := h.executor.Execute(t.Context(), second, person{h}); result.Stdout != want {
			t.Errorf("in the mode %s: got %q, want %q", mode, result.Stdout, want)
		}
	}
}

// TestKeptOfAnotherFile has a call of the same key made once the name in the first has come to lead
// elsewhere: the rules, asked about the first call, would speak of a file that the result is not of.
func TestKeptOfAnotherFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	work := caching()
	work.Caching.Key = "k"
	work.Parameters[0].Format = tool.FormatPath
	h.has(work)
	name := filepath.Join(h.dir, "notes")
	for i, to := range []string{"private", "public"} {
		_ = os.Remove(name)
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
		word := []string{"notes", "public"}[i]
		if result := h.execute(t.Context(), `{"word":"`+word+`"}`); result.Cached || result.Error != nil {
			t.Errorf("%s: cached %t, error %v", word, result.Cached, result.Error)
		}
	}
}

// TestPlantedResult guards against results that one caller plants for others: values that, put next to each
// other, read like those of another call.
func TestPlantedResult(t *testing.T) {
	t.Parallel()
	keyOf := func(key string, arguments map[string]any) string {
		h := &house{t: t}
		text, err := argumentKey(&act{entry: &Entry{CacheKey: h.text(key)}, arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, test := range []struct {
		key  string
		a, b map[string]any
		same bool
	}{
		{"{{url}}:{{method}}", map[string]any{"url": "https", "method": "//bank:GET"}, map[string]any{"url": "https://bank", "method": "GET"}, false},
		{"{{a}}{{b}}", map[string]any{"a": json.Number("1"), "b": json.Number("23")}, map[string]any{"a": json.Number("12"), "b": json.Number("3")}, false},
		{"{{a}}{{b}}", map[string]any{"a": "x", "b": ""}, map[string]any{"a": "", "b": "x"}, false},
		{"{{a}}/{{b}}", map[string]any{"a": "x", "b": ""}, map[string]any{"a": "", "b": "x"}, false},
		{"{{a}}{{b}}", map[string]any{"a": `"`, "b": `"""`}, map[string]any{"a": `""`, "b": `""`}, false},
		{"{{#l}}{{.}}{{/l}}", map[string]any{"l": []any{"a", "b"}}, map[string]any{"l": []any{"ab"}}, false},
		{"{{l}}", map[string]any{"l": []any{"a", "b"}}, map[string]any{"l": []any{`a","b`}}, false},
		{"{{o}}", map[string]any{"o": map[string]any{"a": "b"}}, map[string]any{"o": `{"a":"b"}`}, false},
		{"{{a}}", map[string]any{"a": json.Number("1")}, map[string]any{"a": "1"}, false},
		{"{{#a}}x{{/a}}{{b}}", map[string]any{"a": true, "b": ""}, map[string]any{"a": false, "b": "x"}, false},
		{"{{#a}}x{{/a}}", map[string]any{"a": ""}, map[string]any{"a": "y"}, false},
		{"{{#a}}x{{/a}}", map[string]any{"a": "z"}, map[string]any{"a": "y"}, true},
		{"{{a}}", map[string]any{"a": "x", "b": "y"}, map[string]any{"a": "x", "b": "z"}, true},
	} {
		a, b := keyOf(test.key, test.a), keyOf(test.key, test.b)
		if (a == b) != test.same {
			t.Errorf("%s of %v and %v: %s and %s, want the same: %t", test.key, test.a, test.b, a, b, test.same)
		}
	}
}

// FuzzKey: a key of two values next to each other is the same only for the same two values.
func FuzzKey(f *testing.F) {
	f.Add("https", "//bank:GET", "https://bank", "GET")
	f.Add(`"`, `"""`, `""`, `""`)
	f.Add(" ", "", "", " ")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		if !slices.Equal([]string{a, b, c, d}, validUTF8(a, b, c, d)) {
			t.Skip("no arguments are like that")
		}
		entry := &Entry{CacheKey: (&house{t: t}).text("{{a}}{{b}}")}
		one, err := argumentKey(&act{entry: entry, arguments: map[string]any{"a": a, "b": b}})
		if err != nil {
			t.Fatal(err)
		}
		other, err := argumentKey(&act{entry: entry, arguments: map[string]any{"a": c, "b": d}})
		if err != nil {
			t.Fatal(err)
		}
		if (one == other) != (a == c && b == d) {
			t.Errorf("%q, %q and %q, %q: %s and %s", a, b, c, d, one, other)
		}
	})
}

func validUTF8(texts ...string) []string {
	for i, text := range texts {
		texts[i] = strings.ToValidUTF8(text, "?")
	}
	return texts
}

// inFlight has n calls arrive while the first of them runs, lets the run end, and gives all results, that
// of the first first. The tool ends with the code; the run of the first is given up when lead says so.
func (h *house) inFlight(t *testing.T, n int, code int, lead func(cancel context.CancelFunc)) []tool.Result {
	release := make(chan struct{})
	h.instead = func(ctx context.Context) sandbox.Outcome {
		select {
		case <-ctx.Done():
			return sandbox.Outcome{ExitCode: -1, Cancelled: true}
		case <-release:
			return sandbox.Outcome{ExitCode: code, Stdout: []byte("out")}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	results := make([]tool.Result, n)
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() { // ends with the run
			ctx := ctx
			if i > 0 {
				ctx = t.Context()
			}
			results[i] = h.execute(ctx, `{}`)
		})
		synctest.Wait()
	}
	lead(cancel)
	synctest.Wait()
	close(release)
	calls.Wait()
	return results
}

// TestSingleFlight checks that of the same calls at the same time one runs, and what becomes of the others
// when it fails or is given up: they are calls of their own.
func TestSingleFlight(t *testing.T) {
	t.Parallel()
	nothing := func(context.CancelFunc) {}
	for _, test := range []struct {
		name   string
		code   int
		lead   func(context.CancelFunc)
		runs   int
		status map[tool.Status]int
		cached int
	}{
		{"succeeds", 0, nothing, 1, map[tool.Status]int{tool.StatusCompleted: 5}, 4},
		{"fails", 1, nothing, 5, map[tool.Status]int{tool.StatusFailed: 5}, 0},
		{"is given up", 0, func(cancel context.CancelFunc) { cancel() }, 5, map[tool.Status]int{tool.StatusCancelled: 1, tool.StatusCompleted: 4}, 0},
	} {
		synctestRun(t, test.name, func(t *testing.T) {
			h := newTimedHouse(t, rule(permissions.Approve))
			h.has(caching())
			got, cached := map[tool.Status]int{}, 0
			for _, result := range h.inFlight(t, 5, test.code, test.lead) {
				got[result.Status]++
				if result.Cached {
					cached++
				}
			}
			if h.count("run") != test.runs || !maps.Equal(got, test.status) || cached != test.cached {
				t.Errorf("%d runs, %v, %d cached; want %d, %v, %d", h.count("run"), got, cached, test.runs, test.status, test.cached)
			}
			if decided := h.count("record tool.decided"); decided != 5 {
				t.Errorf("%d decisions are on record of 5 calls", decided)
			}
		})
	}
}

// TestWaitingForAFlight checks the calls that wait: one that is given up ends at once, and one whose rules
// have changed meanwhile gets nothing.
func TestWaitingForAFlight(t *testing.T) {
	t.Parallel()
	synctestRun(t, "given up", func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Approve))
		h.has(caching())
		ctx, cancel := context.WithCancel(t.Context())
		results := h.inFlight(t, 1, 0, func(context.CancelFunc) {
			waiting := make(chan tool.Result)
			go func() { waiting <- h.execute(ctx, `{}`) }() // ends with cancel
			synctest.Wait()
			cancel()
			if result := <-waiting; result.Status != tool.StatusCancelled || result.Cached {
				t.Errorf("got %s, want it cancelled while the other runs", result.Status)
			}
		})
		if results[0].Status != tool.StatusCompleted {
			t.Errorf("the run: %s, %v", results[0].Status, results[0].Error)
		}
	})
	synctestRun(t, "rules change", func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Approve))
		h.has(caching())
		results := h.inFlight(t, 2, 0, func(context.CancelFunc) {
			h.authority = h.authority.With(permissions.NewSet([]permissions.File{{Version: permissions.Version2, Rules: []permissions.Rule{rule(permissions.Reject)}}}), nil)
		})
		if codeOf(results[1]) != tool.FailDenied || results[1].Stdout != "" {
			t.Errorf("got %q, %v; want nothing under rules that reject it", results[1].Stdout, results[1].Error)
		}
	})
	synctestRun(t, "comes after it was withdrawn", func(t *testing.T) {
		h := newTimedHouse(t, rule(permissions.Approve))
		h.has(caching())
		h.execute(t.Context(), `{}`)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if result := h.execute(ctx, `{}`); result.Status != tool.StatusCancelled || result.Stdout != "" {
			t.Errorf("got %s, %q; want it cancelled", result.Status, result.Stdout)
		}
	})
}

// TestShelf checks the bounds of what is kept, in number and in bytes.
func TestShelf(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	key := func(i int) callKey { return callKey{byte(i)} }
	for _, test := range []struct {
		name    string
		caching tool.Caching
		puts    []int64 // the size of each result
		kept    []int   // which of them are there at the end
		bytes   int64
	}{
		{"room for all", tool.Caching{Results: 3, Bytes: 100}, []int64{10, 20, 30}, []int{0, 1, 2}, 60},
		{"too many", tool.Caching{Results: 2, Bytes: 100}, []int64{10, 20, 30}, []int{1, 2}, 50},
		{"too large together", tool.Caching{Results: 9, Bytes: 100}, []int64{50, 40, 30, 60}, []int{2, 3}, 90},
		{"too large by itself", tool.Caching{Results: 9, Bytes: 100}, []int64{50, 101}, []int{0}, 50},
		{"just as large", tool.Caching{Results: 9, Bytes: 100}, []int64{50, 100}, []int{1}, 100},
		{"no bound is given", tool.Caching{Bytes: 1}, []int64{1, 1}, []int{1}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.caching.TTL = time.Hour
			s := newShelf(test.caching)
			for i, size := range test.puts {
				_, f, mine := s.find(key(i), now)
				if !mine {
					t.Fatalf("result %d is there before it is", i)
				}
				s.land(key(i), f, &kept{at: now, size: size})
			}
			var there []int
			for i := range test.puts {
				if found, f, mine := s.find(key(i), now); found != nil {
					there = append(there, i)
				} else if mine {
					s.land(key(i), f, nil)
				}
			}
			if !slices.Equal(there, test.kept) || s.bytes != test.bytes || len(s.flights) > 0 {
				t.Errorf("kept %v, %d bytes, %d flights; want %v, %d and none", there, s.bytes, len(s.flights), test.kept, test.bytes)
			}
			// What is old, or of a time to come, is no result, and its room is free again.
			for _, at := range []time.Time{now.Add(time.Hour), now.Add(-1)} {
				if found, f, mine := s.find(key(test.kept[0]), at); found != nil || !mine {
					t.Errorf("at %s: got %v", at, found)
				} else {
					s.land(key(test.kept[0]), f, &kept{at: now, size: 1})
				}
			}
		})
	}
}

// TestShelvesOfToolsThatAreGone checks that what is kept goes with its tool.
func TestShelvesOfToolsThatAreGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	var c cache
	named := func(id string) *tool.Tool {
		work := caching()
		work.ID = id
		return work
	}
	h.has(named("a"), named("b"))
	a := c.shelf(named("a"), h.tools)
	c.shelf(named("b"), h.tools)
	if again := c.shelf(named("a"), h.tools); again != a {
		t.Error("the same tool has another shelf")
	}
	h.has(named("c"))
	c.shelf(named("c"), h.tools)
	if left := slices.Sorted(maps.Keys(c.shelves)); fmt.Sprint(left) != "[c]" {
		t.Errorf("shelves of %v are left, want c", left)
	}
}
