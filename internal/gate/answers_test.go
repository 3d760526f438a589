package gate

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/google/go-cmp/cmp"
)

func decodeArguments(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var arguments map[string]any
	if err := decoder.Decode(&arguments); err != nil {
		t.Fatal(err)
	}
	return arguments
}

func TestActsAreTheSame(t *testing.T) {
	t.Parallel()
	content := ContentDigest("hello")
	call := func(text string) Effect {
		return Effect{Kind: permissions.ActionCall, Tool: "grep", Arguments: decodeArguments(t, text)}
	}
	tests := []struct {
		name string
		a, b Effect
		want bool
	}{
		{"write", Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content}, Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content}, true},
		{"write of something else", Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content}, Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: ContentDigest("Hello")}, false},
		{"write elsewhere", Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content}, Effect{Kind: permissions.ActionWrite, Path: "/w/b", Content: content}, false},
		{"write of nothing known", Effect{Kind: permissions.ActionWrite, Path: "/w/a"}, Effect{Kind: permissions.ActionWrite, Path: "/w/a"}, false},
		{"write of a relative path", Effect{Kind: permissions.ActionWrite, Path: "a", Content: content}, Effect{Kind: permissions.ActionWrite, Path: "a", Content: content}, false},
		{"read", Effect{Kind: permissions.ActionRead, Path: "/w/a"}, Effect{Kind: permissions.ActionRead, Path: "/w/a"}, true},
		{"read is not write", Effect{Kind: permissions.ActionRead, Path: "/w/a"}, Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content}, false},
		{"command", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w"}, true},
		{"command with a blank more", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Command: "ls ", Dir: "/w"}, false},
		{"command elsewhere", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/x"}, false},
		{"command behind a link", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Resolved: []string{"/x"}}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Resolved: []string{"/y"}}, false},
		{"command of which that cannot be told", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Resolved: []string{""}}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Resolved: []string{""}}, false},
		{"call of a tool as it was", Effect{Kind: permissions.ActionCall, Tool: "a", Runs: "x"}, Effect{Kind: permissions.ActionCall, Tool: "a", Runs: "x"}, true},
		{"call of a tool that has changed", Effect{Kind: permissions.ActionCall, Tool: "a", Runs: "x"}, Effect{Kind: permissions.ActionCall, Tool: "a", Runs: "y"}, false},
		{"write over another text", Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content, Over: "x"}, Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content, Over: "y"}, false},
		{"call about another file", Effect{Kind: permissions.ActionCall, Tool: "a", Resolved: []string{"/x"}}, Effect{Kind: permissions.ActionCall, Tool: "a", Resolved: []string{"/y"}}, false},
		{"command in a relative directory", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "w"}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "w"}, false},
		{"no command", Effect{Kind: permissions.ActionExecute, Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Dir: "/w"}, false},
		{"parts that run together", Effect{Kind: permissions.ActionExecute, Command: "a", Dir: "/bc"}, Effect{Kind: permissions.ActionExecute, Command: "a/b", Dir: "/c"}, false},
		{"words", Effect{Kind: permissions.ActionExecute, Argv: []string{"ls", "-l"}, Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Argv: []string{"ls", "-l"}, Dir: "/w"}, true},
		{"words, and a text of them", Effect{Kind: permissions.ActionExecute, Argv: []string{"ls", "-l"}, Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Command: "ls -l", Dir: "/w"}, false},
		{"words, split elsewhere", Effect{Kind: permissions.ActionExecute, Argv: []string{"ls", "-l"}, Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Argv: []string{"ls -l"}, Dir: "/w"}, false},
		{"a text and words", Effect{Kind: permissions.ActionExecute, Command: "ls", Argv: []string{"ls"}, Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Command: "ls", Argv: []string{"ls"}, Dir: "/w"}, false},
		{"variables", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Env: env("A", "1")}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Env: env("A", "1")}, true},
		{"another value", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Env: env("A", "1")}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Env: env("A", "2")}, false},
		{"no variables", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Env: env("A", "1")}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w"}, false},
		{"a name that runs into its value", Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Env: env("AB", "1")}, Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w", Env: env("A", "B1")}, false},
		{"a variable among the words", Effect{Kind: permissions.ActionExecute, Argv: []string{"ls", "A", "1"}, Dir: "/w"}, Effect{Kind: permissions.ActionExecute, Argv: []string{"ls"}, Dir: "/w", Env: env("A", "1")}, false},
		{"more that is handed on", Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content, More: "m"}, Effect{Kind: permissions.ActionWrite, Path: "/w/a", Content: content}, false},
		{"call, keys in another order", call(`{"a":1,"b":[true,null,"x"]}`), call(`{"b":[true,null,"x"],"a":1}`), true},
		{"call, numbers by value", call(`{"a":1,"b":-0,"c":1500}`), call(`{"a":1.0,"b":0,"c":1.5E+3}`), true},
		{"call, digits that a float loses", call(`{"a":9007199254740993}`), call(`{"a":9007199254740992}`), false},
		{"call, 1 is not \"1\"", call(`{"a":1}`), call(`{"a":"1"}`), false},
		{"call, null is not absent", call(`{"a":null}`), call(`{}`), false},
		{"call, list in another order", call(`{"a":[1,2]}`), call(`{"a":[2,1]}`), false},
		{"call, keys that look like two", call(`{"a":"1,\"b\":2"}`), call(`{"a":"1","b":2}`), false},
		{"call, no arguments", Effect{Kind: permissions.ActionCall, Tool: "x"}, Effect{Kind: permissions.ActionCall, Tool: "x", Arguments: map[string]any{}}, true},
		{"call of another tool", Effect{Kind: permissions.ActionCall, Tool: "x"}, Effect{Kind: permissions.ActionCall, Tool: "y"}, false},
		{"call where it is not known which file is meant", Effect{Kind: permissions.ActionCall, Tool: "x", Resolved: []string{""}}, Effect{Kind: permissions.ActionCall, Tool: "x", Resolved: []string{""}}, false},
		{"call with what is no JSON", Effect{Kind: permissions.ActionCall, Tool: "x", Arguments: map[string]any{"a": struct{}{}}}, Effect{Kind: permissions.ActionCall, Tool: "x", Arguments: map[string]any{"a": struct{}{}}}, false},
		{"call of no tool", Effect{Kind: permissions.ActionCall}, Effect{Kind: permissions.ActionCall}, false},
		{"deletion", Effect{Kind: permissions.ActionDelete, Path: "/w/a"}, Effect{Kind: permissions.ActionDelete, Path: "/w/a"}, false},
		{"unknown kind", Effect{Kind: "x", Path: "/w/a"}, Effect{Kind: "x", Path: "/w/a"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var acts Answers
			acts.Allow("s", test.a, permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePerson, Rule: "r", Reason: "why"})
			d, got := acts.Take("s", test.b)
			if got != test.want {
				t.Fatalf("taken %t, want %t", got, test.want)
			}
			if (test.a.Digest() == test.b.Digest() && test.a.Digest() != "") != test.want {
				t.Errorf("the digests are %q and %q", test.a.Digest(), test.b.Digest())
			}
			want := permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourceAct, First: permissions.SourcePerson, Rule: "r", Reason: "why"}
			if diff := cmp.Diff(want, d); got && diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, again := acts.Take("s", test.b); again {
				t.Error("it could be taken twice")
			}
		})
	}
}

// TestCallOf checks that the effect of a call is all that an answer about it stands for: the tool, its
// arguments, what runs, and the files that are meant.
func TestCallOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := permissions.Request{Tools: []string{"note", "functions.shell"}, Arguments: map[string]any{"a": "1"}, Digest: "d", Dir: dir, Paths: []permissions.Path{{Name: "a.md"}}}
	want := Effect{Kind: permissions.ActionCall, Tool: "note", Arguments: r.Arguments, Runs: "d", Resolved: permissions.ResolvedFiles(r)}
	if diff := cmp.Diff(want, CallOf(r)); diff != "" || len(want.Resolved) != 1 {
		t.Errorf("%d files (-want +got):\n%s", len(want.Resolved), diff)
	}
}

func TestActs(t *testing.T) {
	t.Parallel()
	read := Effect{Kind: permissions.ActionRead, Path: "/w/a"}
	untold := read
	untold.Resolved = []string{""}
	take := func(t *testing.T, acts *Answers, session string) string {
		t.Helper()
		d, ok := acts.Take(session, read)
		if !ok {
			return "nothing"
		}
		return d.Verdict.String()
	}
	tests := []struct {
		name string
		do   func(*Answers)
		want []string // of Takes in session s, one after the other
	}{
		{"nothing was said", func(*Answers) {}, []string{"nothing"}},
		{"said once", func(a *Answers) { a.Allow("s", read, permissions.Decision{}) }, []string{"approve", "nothing"}},
		{"said twice", func(a *Answers) {
			a.Allow("s", read, permissions.Decision{})
			a.Allow("s", read, permissions.Decision{})
		}, []string{"approve", "approve", "nothing"}},
		{"refused", func(a *Answers) { a.Refuse("s", read, permissions.Decision{Verdict: permissions.Approve}) }, []string{"reject", "nothing"}},
		{"the last word is no", func(a *Answers) {
			a.Allow("s", read, permissions.Decision{})
			a.Refuse("s", read, permissions.Decision{})
		}, []string{"reject", "nothing"}},
		{"the last word is yes", func(a *Answers) {
			a.Refuse("s", read, permissions.Decision{})
			a.Allow("s", read, permissions.Decision{})
		}, []string{"approve", "nothing"}},
		{"refused, of files that could not be told", func(a *Answers) { a.Refuse("s", untold, permissions.Decision{}) }, []string{"reject", "nothing"}},
		{"said of files that could not be told", func(a *Answers) { a.Allow("s", untold, permissions.Decision{}) }, []string{"nothing"}},
		{"in another session", func(a *Answers) { a.Allow("other", read, permissions.Decision{}) }, []string{"nothing"}},
		{"in no session", func(a *Answers) { a.Allow("", read, permissions.Decision{}) }, []string{"nothing"}},
		{"before another session's", func(a *Answers) {
			a.Allow("s", read, permissions.Decision{})
			a.Allow("other", read, permissions.Decision{})
		}, []string{"approve"}},
		{"in the turn before", func(a *Answers) { a.Allow("s", read, permissions.Decision{}); a.EndTurn("s") }, []string{"nothing"}},
		{"another session's turn ended", func(a *Answers) { a.Allow("s", read, permissions.Decision{}); a.EndTurn("other") }, []string{"approve"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			acts := new(Answers)
			test.do(acts)
			for _, want := range test.want {
				if got := take(t, acts, "s"); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}

func TestActsAreBounded(t *testing.T) {
	t.Parallel()
	acts := new(Answers)
	for i := range mostActs + 10 {
		acts.Allow("s", Effect{Kind: permissions.ActionRead, Path: fmt.Sprintf("/w/%d", i)}, permissions.Decision{})
	}
	taken := 0
	for i := range mostActs + 10 {
		if _, ok := acts.Take("s", Effect{Kind: permissions.ActionRead, Path: fmt.Sprintf("/w/%d", i)}); ok {
			taken++
		}
	}
	if taken != mostActs {
		t.Errorf("%d acts were kept, want %d", taken, mostActs)
	}
	acts.Allow("s", Effect{Kind: permissions.ActionRead, Path: "/w/later"}, permissions.Decision{})
	if _, ok := acts.Take("s", Effect{Kind: permissions.ActionRead, Path: "/w/later"}); !ok {
		t.Error("nothing is kept any more once what was kept has been taken")
	}
	if len(acts.sessions["s"].answers) > 0 {
		t.Errorf("%d entries are left when all was taken", len(acts.sessions["s"].answers))
	}
	for range mostActs { // the last word holds, and is one
		acts.Allow("s", Effect{Kind: permissions.ActionRead, Path: "/w/a"}, permissions.Decision{})
		acts.Refuse("s", Effect{Kind: permissions.ActionRead, Path: "/w/a"}, permissions.Decision{})
	}
	if acts.sessions["s"].count != 1 {
		t.Errorf("one answer counts as %d", acts.sessions["s"].count)
	}
	acts.EndTurn("s")
	acts.Allow("", Effect{Kind: permissions.ActionRead, Path: "/w/a"}, permissions.Decision{})
	acts.Allow("s", Effect{Kind: permissions.ActionRead, Path: "a"}, permissions.Decision{})
	if len(acts.sessions) > 0 {
		t.Error("something is kept for no session, or of an act that is not told in full")
	}
	for i := range mostActSessions + 10 {
		acts.Allow(fmt.Sprint("session ", i), Effect{Kind: permissions.ActionRead, Path: "/w/a"}, permissions.Decision{})
	}
	if len(acts.sessions) > mostActSessions {
		t.Errorf("%d sessions are kept, want at most %d", len(acts.sessions), mostActSessions)
	}
}

func TestActsAtOnce(t *testing.T) {
	t.Parallel()
	acts := new(Answers)
	read := Effect{Kind: permissions.ActionRead, Path: "/w/a"}
	for range 50 {
		acts.Allow("s", read, permissions.Decision{})
	}
	var wait sync.WaitGroup
	taken := make(chan bool, 100)
	for range 100 {
		wait.Go(func() {
			_, ok := acts.Take("s", read)
			taken <- ok
		})
	}
	wait.Wait()
	close(taken)
	n := 0
	for ok := range taken {
		if ok {
			n++
		}
	}
	if n != 50 {
		t.Errorf("%d of 50 entries were taken by 100 callers", n)
	}
}

func TestContentDigest(t *testing.T) {
	t.Parallel()
	// printf hello | sha256sum
	if got := ContentDigest("hello"); got != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
		t.Errorf("got %s", got)
	}
}

// TestAfter checks what an earlier answer about the same act changes of what the rules say now: it answers
// a question, and lifts no rejection.
func TestAfter(t *testing.T) {
	t.Parallel()
	by := func(verdict permissions.Verdict, first permissions.Source, rule string) permissions.Decision {
		return permissions.Decision{Verdict: verdict, Source: permissions.SourceAct, First: first, Rule: rule, At: "f:1"}
	}
	person, rule := by(permissions.Approve, permissions.SourcePerson, ""), by(permissions.Approve, permissions.SourcePolicy, "r")
	no := by(permissions.Reject, permissions.SourcePerson, "")
	for _, test := range []struct {
		name    string
		now     permissions.Decision
		earlier permissions.Decision
		want    permissions.Verdict
	}{
		{"a person's yes, and a rule that rejects", permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourcePolicy}, person, permissions.Reject},
		{"a rule's yes, and a rule that rejects", permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourcePolicy}, rule, permissions.Reject},
		{"a person's yes, and nothing is known", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}, person, permissions.Approve},
		{"a person's yes, and a rule that asks", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy, Rule: "q"}, person, permissions.Approve},
		{"a person's yes, and a control file", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceControlFile}, person, permissions.Approve},
		{"a person's yes, and a tool that wants to be confirmed", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceTool}, person, permissions.Ask},
		{"a person's yes, and a rule that approves", permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePolicy}, person, permissions.Approve},
		{"a rule's yes, and nothing is known", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}, rule, permissions.Approve},
		{"a rule's yes, and a control file", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceControlFile}, rule, permissions.Ask},
		{"a rule's yes, and a doubt", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDoubt}, rule, permissions.Ask},
		{"a rule's yes, and another rule asks", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy, Rule: "q", At: "f:2"}, rule, permissions.Ask},
		{"a rule's yes that was its last", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy, Rule: "r", At: "f:1"}, rule, permissions.Approve},
		{"a rule's yes, and other rules by now", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true, Policy: "other"}, rule, permissions.Ask},
		{"a yes for the session, which was taken back", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}, by(permissions.Approve, permissions.SourceSession, ""), permissions.Ask},
		{"a yes for the session, which still holds", permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourceSession}, by(permissions.Approve, permissions.SourceSession, ""), permissions.Approve},
		{"a no, and a rule that approves", permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePolicy}, no, permissions.Reject},
		{"a no, and nothing is known", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}, no, permissions.Reject},
		{"a person's yes, and other rules by now", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true, Policy: "other"}, person, permissions.Approve},
		{"a rule's yes, and another rule of the line asks", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy, Rule: "q", At: "f:1"}, rule, permissions.Ask},
		{"a rule's yes, and one of the name asks elsewhere", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy, Rule: "r", At: "f:2"}, rule, permissions.Ask},
		{"a rule's yes, and a doubt about the same rule", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDoubt, Rule: "r", At: "f:1"}, rule, permissions.Ask},
		{"the default's yes, and a rule without a name", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy, At: "f:1"}, by(permissions.Approve, permissions.SourceDefault, ""), permissions.Ask},
		{"a no, and a tool that wants to be confirmed", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceTool}, no, permissions.Reject},
		{"a rule's no, and a control file", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceControlFile}, by(permissions.Reject, permissions.SourcePolicy, "r"), permissions.Reject},
	} {
		if got := carryOver(test.now, test.earlier); got.Verdict != test.want {
			t.Errorf("%s: %s, want %s", test.name, got.Verdict, test.want)
		}
	}
	person.SkipGovernors, rule.SkipGovernors = true, true
	for _, earlier := range []permissions.Decision{person, rule} {
		if got := carryOver(permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePolicy}, earlier); got.SkipGovernors {
			t.Error("governors are left out because a rule said so of the question, though none says so of the act")
		}
	}
}

// FuzzActKey holds the key of acts against their members: acts have one key exactly when every member that
// is handed on is the same.
func FuzzActKey(f *testing.F) {
	f.Add("ls", "-l\x00a", "/w", "A=1", "m", "ls -l", "", "/w", "A=1", "m")
	f.Add("", "a\x00b", "/w", "", "", "a b", "", "/w", "", "")
	f.Fuzz(func(t *testing.T, text1, argv1, dir1, env1, more1, text2, argv2, dir2, env2, more2 string) {
		act := func(text, argv, dir, env, more string) Effect {
			a := Effect{Kind: permissions.ActionExecute, Command: text, Dir: "/" + dir, More: more}
			if argv != "" {
				a.Argv = strings.Split(argv, "\x00")
			}
			for variable := range strings.SplitSeq(env, "\x00") {
				if name, value, ok := strings.Cut(variable, "="); ok {
					a.Env = append(a.Env, permissions.Variable{Name: name, Value: value})
				}
			}
			return a
		}
		a, b := act(text1, argv1, dir1, env1, more1), act(text2, argv2, dir2, env2, more2)
		keyA, okA := a.key()
		keyB, okB := b.key()
		if okA && okB && (keyA == keyB) != cmp.Equal(a, b) {
			t.Errorf("%+v and %+v: one key is %t", a, b, keyA == keyB)
		}
	})
}

func env(name, value string) []permissions.Variable {
	return []permissions.Variable{{Name: name, Value: value}}
}
