package governor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// expr makes a governor that is an expression.
func expr(id, text string, change func(*Spec)) Spec {
	return spec(id, KindCEL, func(s *Spec) {
		s.CEL = CEL{Expression: text, Otherwise: VerbReject}
		if change != nil {
			change(s)
		}
	})
}

// TestLattice checks that the strongest answer holds, whatever the order.
func TestLattice(t *testing.T) {
	t.Parallel()
	says := map[string]string{
		"approve": `{"status": "approve"}`, "reject": `{"status": "reject"}`, "ask": `{"status": "needs_attention"}`,
		"abstain": `{"status": "abstain"}`, "error": `{"status": "whatever"}`,
	}
	rank := map[string]int{"abstain": 0, "approve": 1, "ask": 2, "error": 2, "reject": 3}
	want := []permissions.Verdict{permissions.Ask, permissions.Approve, permissions.Ask, permissions.Reject}
	h := newHouse(t)
	for a := range says {
		for b := range says {
			for c := range says {
				h.has(expr("a", says[a], nil), expr("b", says[b], nil), expr("c", says[c], nil))
				r := h.governors.Review(t.Context(), h.review())
				strongest := max(rank[a], rank[b], rank[c])
				if r.Silent != (strongest == 0) || !r.Silent && r.Verdict != want[strongest] {
					t.Errorf("%s, %s, %s: got %s, silent %t", a, b, c, r.Verdict, r.Silent)
				}
				if r.Answers {
					t.Errorf("%s, %s, %s: it answers in a person's place, which no file says", a, b, c)
				}
			}
		}
	}
}

// TestAnswers checks when governors may answer in a person's place: at least one approves, every one that
// speaks does, every one of them spoke, and their own files say so.
func TestAnswers(t *testing.T) {
	t.Parallel()
	yes := expr("yes", "true", nil)
	ignored := expr("broken", `params.missing == 1`, func(s *Spec) { s.OnError = FallbackIgnore })
	for name, test := range map[string]struct {
		specs   []Spec
		project []Spec
		auto    bool
		want    bool
	}{
		"one approves":               {[]Spec{yes}, nil, true, true},
		"no file says so":            {[]Spec{yes}, nil, false, false},
		"all approve":                {[]Spec{yes, expr("too", "true", nil)}, nil, true, true},
		"one abstains":               {[]Spec{yes, expr("x", `{"status": "abstain"}`, nil)}, nil, true, true},
		"one could not be asked":     {[]Spec{yes, ignored}, nil, true, false},
		"one wants a person":         {[]Spec{yes, expr("x", `{"status": "needs_attention"}`, nil)}, nil, true, false},
		"a workspace's own approves": {nil, []Spec{yes}, true, false},
	} {
		h := newHouse(t)
		settings := DefaultSettings()
		settings.AllApprove = test.auto
		h.governors = h.governors.With([]File{{Permission: test.specs, PermissionSettings: settings}})
		h.governors = h.governors.WithOwn(h.review().Workspace, []File{{Permission: test.project, PermissionSettings: settings}})
		if r := h.governors.Review(t.Context(), h.review()); r.Answers != test.want {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

// TestWanted checks which governors are asked about what.
func TestWanted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	no := func(change func(*Spec)) Spec { return expr("no", "false", change) }
	for name, test := range map[string]struct {
		spec   Spec
		review func(*permissions.Review)
		asked  bool
	}{
		"any":                          {no(nil), nil, true},
		"a rule leaves them out":       {no(nil), func(r *permissions.Review) { r.Decided.SkipGovernors = true }, false},
		"but not one that is required": {no(func(s *Spec) { s.Required = true }), func(r *permissions.Review) { r.Decided.SkipGovernors = true }, true},
		"another tool":                 {no(func(s *Spec) { s.AppliesTo = []string{"other*"} }), nil, false},
		"this tool, in another case":   {no(func(s *Spec) { s.AppliesTo = []string{"NO*"} }), nil, true},
		"an alias":                     {no(func(s *Spec) { s.AppliesTo = []string{"alias"} }), func(r *permissions.Review) { r.Tools = []string{"x", "alias"} }, true},
		"a pattern that cannot be read matches all": {no(func(s *Spec) { s.AppliesTo = []string{"[a"} }), nil, true},
		"requires_manual, a rule approves":          {no(func(s *Spec) { s.RequiresManual = true }), nil, false},
		"requires_manual, a person is to be asked":  {no(func(s *Spec) { s.RequiresManual = true }), func(r *permissions.Review) { r.Decided = permissions.Decision{} }, true},
	} {
		h.has(test.spec)
		review := h.review()
		if test.review != nil {
			test.review(&review)
		}
		if r := h.governors.Review(t.Context(), review); r.Silent == test.asked {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

// slow is a judge that answers when it is told to, or when its time is up.
type slow struct {
	began  chan string
	answer func(ctx context.Context) (answer, error)
	id     string
}

func (s *slow) judge(ctx context.Context, _ *input) (answer, error) {
	if s.began != nil {
		s.began <- s.id
	}
	return s.answer(ctx)
}

func untilDone(ctx context.Context) (answer, error) {
	<-ctx.Done()
	return answer{status: statusApprove}, nil // too late
}

// judges puts judges in force in place of those of the specs.
func (h *house) judges(settings Settings, judges ...judge) {
	var specs []Spec
	for range judges {
		specs = append(specs, spec("j", KindCEL, nil))
	}
	h.governors = h.governors.With([]File{{Permission: specs, PermissionSettings: settings}})
	for i, j := range judges {
		h.governors.files[0].permission[i].judge = j
	}
}

// TestTogether checks that governors are asked at the same time, that a rejection ends the others where the
// file says so, and that nothing late counts.
func TestTogether(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	settings := DefaultSettings()
	settings.Deadline, settings.StopOnFirstReject = time.Hour, true
	began := make(chan string, 3)
	var all sync.WaitGroup
	all.Add(2)
	reject := func(context.Context) (answer, error) {
		all.Wait() // the others have begun
		return answer{status: statusReject, messages: []string{"no"}}, nil
	}
	waits := func(ctx context.Context) (answer, error) {
		all.Done()
		return untilDone(ctx)
	}
	h.judges(settings, &slow{began, waits, "a"}, &slow{began, reject, "b"}, &slow{began, waits, "c"})
	r := h.governors.Review(t.Context(), h.review())
	if r.Verdict != permissions.Reject || r.Reason != "no" {
		t.Errorf("got %+v", r)
	}
	for i, status := range []string{"cancelled", "reject", "cancelled"} {
		if got := r.Governance.Answers[i].Status; got != status {
			t.Errorf("governor %d: got %s, want %s", i, got, status)
		}
	}

	settings = DefaultSettings()
	settings.Deadline = 20 * time.Millisecond
	h.judges(settings, &slow{nil, untilDone, "late"})
	if r := h.governors.Review(t.Context(), h.review()); r.Verdict != permissions.Ask || r.Silent || r.Governance.Answers[0].Status != "timeout" {
		t.Errorf("an answer after the time of all: got %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	h.judges(DefaultSettings(), &slow{nil, func(ctx context.Context) (answer, error) { cancel(); return untilDone(ctx) }, "gone"})
	if r := h.governors.Review(ctx, h.review()); r.Verdict != permissions.Ask || r.Silent {
		t.Errorf("an answer to nobody: got %+v", r)
	}
	h.judges(DefaultSettings(), &slow{nil, func(context.Context) (answer, error) { panic("oops") }, "panics"})
	if r := h.governors.Review(t.Context(), h.review()); r.Verdict != permissions.Ask || !strings.Contains(r.Reason, "oops") {
		t.Errorf("a panic: got %+v", r)
	}
}

// TestBreaker checks that a governor which fails is left alone after a while, and that this approves
// nothing either.
func TestBreaker(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.script("guard", "exit 1")
	h.has(s)
	var calls atomic.Int32
	failing := &slow{nil, func(context.Context) (answer, error) { calls.Add(1); return answer{}, errors.New("down") }, "x"}
	h.governors.files[0].permission[0].judge = failing
	for i := range failuresInARow + 3 {
		r := h.governors.Review(t.Context(), h.review())
		if r.Verdict != permissions.Ask || r.Silent {
			t.Fatalf("call %d: got %+v", i, r)
		}
		if open := i >= failuresInARow; open != strings.Contains(r.Reason, "in a row") {
			t.Errorf("call %d: got the reason %q", i, r.Reason)
		}
	}
	if calls.Load() != failuresInARow {
		t.Errorf("it was asked %d times, want %d", calls.Load(), failuresInARow)
	}
	h.has(s) // a reload of the same entry keeps the breaker
	if r := h.governors.Review(t.Context(), h.review()); !strings.Contains(r.Reason, "in a row") {
		t.Errorf("after a reload: got %q", r.Reason)
	}
	s.Timeout++
	h.has(s) // another entry has its own
	if r := h.governors.Review(t.Context(), h.review()); strings.Contains(r.Reason, "in a row") {
		t.Errorf("after a change: got %q", r.Reason)
	}
}

// TestFollowUps checks that a governor's prompts for the agent come to an end, by session.
func TestFollowUps(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	settings := DefaultSettings()
	settings.MostFollowUps = 2
	h.governors = h.governors.With([]File{{Permission: []Spec{expr("f", `{"status": "reject", "followUpPrompt": "try this"}`, nil)}, PermissionSettings: settings}})
	ask := func(session string) string {
		r := h.review()
		r.Session = session
		return h.governors.Review(t.Context(), r).FollowUp
	}
	for i, want := range []string{"try this", "try this", "", ""} {
		if got := ask("s1"); got != want {
			t.Errorf("prompt %d: got %q, want %q", i, got, want)
		}
	}
	if got := ask("s2"); got != "try this" {
		t.Errorf("another session: got %q", got)
	}
	h.governors.Forget("s1")
	if got := ask("s1"); got != "try this" {
		t.Errorf("a new session of that name: got %q", got)
	}
}

// TestTooLarge checks that what is too large to be told is not approved for it.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.has(expr("yes", "true", nil))
	r := h.review()
	r.Arguments = map[string]any{"content": strings.Repeat("x", mostInput)}
	if got := h.governors.Review(t.Context(), r); got.Verdict != permissions.Ask || got.Silent || !strings.Contains(got.Reason, "bytes to tell") {
		t.Errorf("got %+v", got)
	}
}

// TestExpressions checks what expressions see, and that what cannot be evaluated approves nothing.
func TestExpressions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for text, want := range map[string]permissions.Verdict{
		`tool == "note" && kind == "call" && agent == "agent" && session == "s1"`: permissions.Approve,
		`params.text == "hello" && params.token == "[secret]"`:                    permissions.Approve,
		`commands == ["ls -l a.txt"] && commands.all(c, !c.startsWith("rm"))`:     permissions.Approve,
		`paths.all(p, p.inside && p.write)`:                                       permissions.Approve,
		`policy.rule == "r1" && phase == "permission"`:                            permissions.Approve,
		`has(params.nothing)`:                     permissions.Reject,
		`params.nothing == 1`:                     permissions.Ask, // no such key
		`1 / (size(params) - 2) > 0`:              permissions.Ask,
		`params`:                                  permissions.Ask, // a map without a status
		`params.text`:                             permissions.Ask, // a text
		`{"status": "reject", "messages": ["x"]}`: permissions.Reject,
		`[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, a+b+c+d+e+f > 0))))))`: permissions.Ask, // too much work
	} {
		h.has(expr("e", text, nil))
		if r := h.governors.Review(t.Context(), h.review()); r.Verdict != want || r.Silent {
			t.Errorf("%s: got %s (%s), want %s", text, r.Verdict, r.Reason, want)
		}
	}
	h.has(expr("e", `params.n == 5 && params.f == 0.5 && params.big != 5`, nil))
	r := h.review()
	r.Arguments = map[string]any{"n": 5, "f": 0.5, "big": "123456789012345678901234567890"}
	if got := h.governors.Review(t.Context(), r); got.Verdict != permissions.Approve {
		t.Errorf("numbers: got %+v", got)
	}
}

// TestRate checks that a rate counts across restarts, by its key, and begins anew when its time is over.
func TestRate(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	limit := Limit{Calls: 2, Per: time.Hour, Key: KeyAgent, Beyond: VerbReject}
	start := func() *house {
		h := newHouse(t)
		h.governors = New(Options{StateDir: dir, Now: func() time.Time { return now }})
		h.has(spec("calm", KindRate, func(s *Spec) { s.Limit = limit }))
		return h
	}
	ask := func(h *house, change func(*permissions.Review)) permissions.Ruling {
		r := h.review()
		if change != nil {
			change(&r)
		}
		return h.governors.Review(t.Context(), r)
	}
	h := start()
	for i, silent := range []bool{true, true, false} {
		if r := ask(h, nil); r.Silent != silent || !silent && (r.Verdict != permissions.Reject || !strings.Contains(r.Reason, "2 calls in 1h")) {
			t.Errorf("call %d: got %+v", i, r)
		}
	}
	if r := ask(h, func(r *permissions.Review) { r.Agent = "somebody else" }); r.Silent {
		t.Errorf("the same agent by another name: got %+v", r)
	}
	if r := ask(h, func(r *permissions.Review) { r.Caller = "another" }); !r.Silent {
		t.Errorf("another agent: got %+v", r)
	}
	if r := ask(h, func(r *permissions.Review) { r.Earlier = true }); !r.Silent {
		t.Errorf("the act of a prompt that was counted: got %+v", r)
	}
	h = start()
	if r := ask(h, nil); r.Silent {
		t.Error("it has forgotten with the restart")
	}
	now = now.Add(-30 * time.Minute)
	if r := ask(h, nil); r.Silent {
		t.Error("it forgets when the clock is put back")
	}
	now = now.Add(2 * time.Hour)
	if r := ask(h, nil); !r.Silent {
		t.Errorf("an hour later: got %+v", r)
	}

	for name, spoil := range map[string]func(path string) error{
		"a broken file":    func(path string) error { return os.WriteFile(path, []byte(`{"`), 0o600) },
		"null":             func(path string) error { return os.WriteFile(path, []byte(`null`), 0o600) },
		"a link":           func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/dev/null", path)) },
		"a directory":      func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"nowhere to count": func(string) error { h.governors.ledger.dir = ""; return nil },
	} {
		h = start()
		path := filepath.Join(dir, usageName)
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if r := ask(h, nil); r.Silent || r.Verdict != permissions.Ask {
			t.Errorf("%s: got %+v", name, r)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(`{}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRateTogether has many count at the same time, as many programs would: none of it is lost.
func TestRateTogether(t *testing.T) {
	t.Parallel()
	dir := realDir(t)
	const room = 20
	limit := Limit{Calls: room, Per: time.Hour, Key: KeyAll, Beyond: VerbReject}
	var through atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		h := newHouse(t)
		h.governors = New(Options{StateDir: dir})
		h.has(spec("calm", KindRate, func(s *Spec) { s.Limit = limit }))
		review := h.review()
		for range 10 {
			all.Go(func() {
				r := h.governors.Review(t.Context(), review)
				if r.Silent {
					through.Add(1)
				} else if r.Verdict != permissions.Reject {
					t.Errorf("got %+v", r)
				}
			})
		}
	}
	all.Wait()
	if through.Load() != room {
		t.Errorf("%d were let through, want %d", through.Load(), room)
	}
}

// TestRateCountsWhatPasses checks that what another governor rejects uses nothing up.
func TestRateCountsWhatPasses(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	calm := spec("calm", KindRate, func(s *Spec) { s.Limit = Limit{Calls: 1, Per: time.Hour, Key: KeyAll, Beyond: VerbReject} })
	h.has(calm, expr("no", "false", nil))
	for range 3 {
		if r := h.governors.Review(t.Context(), h.review()); r.Governor != "no" {
			t.Errorf("got %+v", r)
		}
	}
	h.has(calm)
	if r := h.governors.Review(t.Context(), h.review()); !r.Silent {
		t.Errorf("got %+v", r)
	}
}

// TestBudget checks that bytes and time are counted once a call has ended.
func TestBudget(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]Limit{"bytes": {Bytes: 100}, "time": {Running: time.Minute}} {
		h := newHouse(t)
		limit.Per, limit.Key, limit.Beyond = time.Hour, KeyTool, VerbAsk
		h.has(spec("month", KindBudget, func(s *Spec) { s.Limit = limit }))
		for i, silent := range []bool{true, true, false} {
			r := h.governors.Review(t.Context(), h.review())
			if r.Silent != silent || !silent && r.Verdict != permissions.Ask {
				t.Errorf("%s, call %d: got %+v", name, i, r)
			}
			h.governors.Screen(t.Context(), permissions.Finished{Review: h.review(), Result: tool.Result{OutputLength: 60, ExecutionTimeMS: 40_000}})
		}
	}
}

// TestScreen checks what becomes of outputs. What cannot be looked at is withheld.
func TestScreen(t *testing.T) {
	t.Parallel()
	token := samples()["npm token"]
	secrets := spec("clean", KindSecrets, func(s *Spec) { s.Found = VerbRedact })
	replace := func(id, text string) Spec {
		return expr(id, `{"status": "approve", "output": {"stdout": "`+text+`"}}`, nil)
	}
	for name, test := range map[string]struct {
		specs    []Spec
		out      string
		silent   bool
		stdout   string
		withheld string
		by       string
	}{
		"nobody objects":                    {[]Spec{expr("ok", "true", nil)}, "fine", true, "fine", "", ""},
		"one rejects":                       {[]Spec{expr("no", `!output.stdout.contains("bad")`, nil)}, "bad", false, "", "its expression is false", "no"},
		"one wants a person":                {[]Spec{expr("hm", `{"status": "needs_attention", "messages": ["hm"]}`, nil)}, "x", false, "", "hm", "hm"},
		"one fails":                         {[]Spec{expr("broken", `params.nothing == 1`, nil)}, "x", false, "", "no such key", "broken"},
		"one fails, and is passed over":     {[]Spec{expr("broken", `params.nothing == 1`, func(s *Spec) { s.OnError = FallbackIgnore })}, "x", true, "x", "", ""},
		"replaced":                          {[]Spec{replace("r", "clean")}, "x", false, "clean", "", "r"},
		"replaced by the same":              {[]Spec{replace("r", "x")}, "x", true, "x", "", ""},
		"replaced twice, alike":             {[]Spec{replace("r", "y"), replace("s", "y")}, "x", false, "y", "", "s"},
		"replaced by two":                   {[]Spec{replace("r", "y"), replace("s", "z")}, "x", false, "", "two governors", "s"},
		"one replaces and one rejects":      {[]Spec{replace("r", "y"), expr("no", "false", nil)}, "x", false, "", "its expression is false", "no"},
		"no governor is told of a secret":   {[]Spec{expr("e", `!output.stdout.contains("npm_")`, nil), secrets}, token, false, "[redacted: npm token]", "", "clean"},
		"nor can one bring a secret in":     {[]Spec{replace("r", token), secrets}, "x", false, "[redacted: npm token]", "", "clean"},
		"one about another tool":            {[]Spec{expr("no", "false", func(s *Spec) { s.AppliesTo = []string{"x"} })}, "x", true, "x", "", ""},
		"skipGovernors is about permission": {[]Spec{expr("no", "false", nil)}, "x", false, "", "its expression is false", "no"},
	} {
		h := newHouse(t)
		h.screens(test.specs...)
		review := h.review()
		review.Decided.SkipGovernors = name == "skipGovernors is about permission"
		s := h.governors.Screen(t.Context(), permissions.Finished{Review: review, Result: tool.Result{Status: "completed", Stdout: test.out}})
		if s.Silent != test.silent || !s.Silent && s.Stdout != test.stdout || !strings.Contains(s.Withheld, test.withheld) || (s.Withheld == "") != (test.withheld == "") || s.Governor != test.by {
			t.Errorf("%s: got %+v", name, s)
		}
	}
}

// TestHash checks that governors have a name that changes with what they say, and with nothing else.
func TestHash(t *testing.T) {
	t.Parallel()
	w, other := tool.Workspace{Root: "/a"}, tool.Workspace{Root: "/b"}
	file := func(change func(*File)) []File {
		f := File{
			Name: "governors.yaml", PermissionSettings: DefaultSettings(), OutputSettings: DefaultSettings(),
			Permission: []Spec{spec("g", KindSecrets, func(s *Spec) { s.Found = VerbReject })},
		}
		if change != nil {
			change(&f)
		}
		return []File{f}
	}
	g := New(Options{})
	hash := func(files []File) string {
		g = g.With(files)
		return g.Hash(w)
	}
	none, first := hash(nil), hash(file(nil))
	if none != "" || len(first) != 64 {
		t.Fatalf("got %q for none and %q for one", none, first)
	}
	for _, test := range []struct {
		name  string
		files []File
		same  bool
	}{
		{"read again", file(nil), true},
		{"moved in its file", file(func(f *File) { f.Name, f.Permission[0].Source = "x.yaml", tool.Source{File: "x.yaml", Line: 9} }), true},
		{"an empty file beside it", append(file(nil), File{PermissionSettings: DefaultSettings()}), true},
		{"says something else", file(func(f *File) { f.Permission[0].Found = VerbAsk }), false},
		{"looks at other tools", file(func(f *File) { f.Permission[0].AppliesTo = []string{"x"} }), false},
		{"another setting", file(func(f *File) { f.PermissionSettings.AllApprove = true }), false},
		{"asked about output", file(func(f *File) { f.Permission, f.Output = nil, f.Permission }), false},
		{"one more", file(func(f *File) { f.Permission = append(f.Permission, spec("h", KindSecrets, nil)) }), false},
	} {
		if got := hash(test.files); (got == first) != test.same {
			t.Errorf("%s: got %q, the first was %q", test.name, got, first)
		}
	}
	g = g.With(file(nil))
	g = g.WithOwn(w, file(func(f *File) { f.Permission[0].ID = "own" }))
	if g.Hash(w) == first || g.Hash(other) != first {
		t.Errorf("with its own governors %q, elsewhere %q; the first was %q", g.Hash(w), g.Hash(other), first)
	}
}

// TestScreens: whether output governors look at a tool decides where its output may go before they have, so
// it must say yes for every one that Screen would ask, the secrets ones and a workspace's own among them.
func TestScreens(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	here, elsewhere := tool.Workspace{Root: h.workspace}, tool.Workspace{Root: "/elsewhere"}
	only := func(s *Spec) { s.AppliesTo = []string{"note*"} }
	for _, row := range []struct {
		name     string
		files    []File
		own      []File
		tool     string
		in       tool.Workspace
		screened bool
	}{
		{"none", nil, nil, "note", here, false},
		{"of permissions", []File{{Permission: []Spec{spec("p", KindSecrets, nil)}}}, nil, "note", here, false},
		{"of all output", []File{{Output: []Spec{spec("o", KindSecrets, nil)}}}, nil, "note", here, true},
		{"of its output", []File{{Output: []Spec{spec("o", KindSecrets, only)}}}, nil, "notes", here, true},
		{"of another's", []File{{Output: []Spec{spec("o", KindSecrets, only)}}}, nil, "work", here, false},
		{"the workspace's", nil, []File{{Output: []Spec{spec("o", KindSecrets, nil)}}}, "note", here, true},
		{"another workspace's", nil, []File{{Output: []Spec{spec("o", KindSecrets, nil)}}}, "note", elsewhere, false},
	} {
		h.governors = h.governors.With(row.files)
		h.governors = h.governors.WithOwn(here, row.own)
		if got := h.governors.Screens(row.in, row.tool); got != row.screened {
			t.Errorf("%s: %t", row.name, got)
		}
		r := h.review()
		r.Tools, r.Workspace = []string{row.tool}, row.in
		seen := h.governors.Screen(t.Context(), permissions.Finished{Review: r, Result: tool.Result{Stdout: "x"}})
		if asked := len(seen.Governance.Answers) > 0; asked != row.screened {
			t.Errorf("%s: asked %t", row.name, asked)
		}
	}
}
