package permissions

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

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
	call := func(text string) Act {
		return Act{Kind: ActionCall, Tool: "grep", Arguments: decodeArguments(t, text)}
	}
	tests := []struct {
		name string
		a, b Act
		want bool
	}{
		{"write", Act{Kind: ActionWrite, Path: "/w/a", Content: content}, Act{Kind: ActionWrite, Path: "/w/a", Content: content}, true},
		{"write of something else", Act{Kind: ActionWrite, Path: "/w/a", Content: content}, Act{Kind: ActionWrite, Path: "/w/a", Content: ContentDigest("Hello")}, false},
		{"write elsewhere", Act{Kind: ActionWrite, Path: "/w/a", Content: content}, Act{Kind: ActionWrite, Path: "/w/b", Content: content}, false},
		{"write of nothing known", Act{Kind: ActionWrite, Path: "/w/a"}, Act{Kind: ActionWrite, Path: "/w/a"}, false},
		{"write of a relative path", Act{Kind: ActionWrite, Path: "a", Content: content}, Act{Kind: ActionWrite, Path: "a", Content: content}, false},
		{"read", Act{Kind: ActionRead, Path: "/w/a"}, Act{Kind: ActionRead, Path: "/w/a"}, true},
		{"read is not write", Act{Kind: ActionRead, Path: "/w/a"}, Act{Kind: ActionWrite, Path: "/w/a", Content: content}, false},
		{"command", Act{Kind: ActionExecute, Command: "ls", Dir: "/w"}, Act{Kind: ActionExecute, Command: "ls", Dir: "/w"}, true},
		{"command with a blank more", Act{Kind: ActionExecute, Command: "ls", Dir: "/w"}, Act{Kind: ActionExecute, Command: "ls ", Dir: "/w"}, false},
		{"command elsewhere", Act{Kind: ActionExecute, Command: "ls", Dir: "/w"}, Act{Kind: ActionExecute, Command: "ls", Dir: "/x"}, false},
		{"no command", Act{Kind: ActionExecute, Dir: "/w"}, Act{Kind: ActionExecute, Dir: "/w"}, false},
		{"parts that run together", Act{Kind: ActionExecute, Command: "a", Dir: "/bc"}, Act{Kind: ActionExecute, Command: "a/b", Dir: "/c"}, false},
		{"words", Act{Kind: ActionExecute, Argv: []string{"ls", "-l"}, Dir: "/w"}, Act{Kind: ActionExecute, Argv: []string{"ls", "-l"}, Dir: "/w"}, true},
		{"words, and a text of them", Act{Kind: ActionExecute, Argv: []string{"ls", "-l"}, Dir: "/w"}, Act{Kind: ActionExecute, Command: "ls -l", Dir: "/w"}, false},
		{"words, split elsewhere", Act{Kind: ActionExecute, Argv: []string{"ls", "-l"}, Dir: "/w"}, Act{Kind: ActionExecute, Argv: []string{"ls -l"}, Dir: "/w"}, false},
		{"a text and words", Act{Kind: ActionExecute, Command: "ls", Argv: []string{"ls"}, Dir: "/w"}, Act{Kind: ActionExecute, Command: "ls", Argv: []string{"ls"}, Dir: "/w"}, false},
		{"variables", Act{Kind: ActionExecute, Command: "ls", Dir: "/w", Env: []Variable{{"A", "1"}}}, Act{Kind: ActionExecute, Command: "ls", Dir: "/w", Env: []Variable{{"A", "1"}}}, true},
		{"another value", Act{Kind: ActionExecute, Command: "ls", Dir: "/w", Env: []Variable{{"A", "1"}}}, Act{Kind: ActionExecute, Command: "ls", Dir: "/w", Env: []Variable{{"A", "2"}}}, false},
		{"no variables", Act{Kind: ActionExecute, Command: "ls", Dir: "/w", Env: []Variable{{"A", "1"}}}, Act{Kind: ActionExecute, Command: "ls", Dir: "/w"}, false},
		{"a name that runs into its value", Act{Kind: ActionExecute, Command: "ls", Dir: "/w", Env: []Variable{{"AB", "1"}}}, Act{Kind: ActionExecute, Command: "ls", Dir: "/w", Env: []Variable{{"A", "B1"}}}, false},
		{"a variable among the words", Act{Kind: ActionExecute, Argv: []string{"ls", "A", "1"}, Dir: "/w"}, Act{Kind: ActionExecute, Argv: []string{"ls"}, Dir: "/w", Env: []Variable{{"A", "1"}}}, false},
		{"more that is handed on", Act{Kind: ActionWrite, Path: "/w/a", Content: content, More: "m"}, Act{Kind: ActionWrite, Path: "/w/a", Content: content}, false},
		{"call, keys in another order", call(`{"a":1,"b":[true,null,"x"]}`), call(`{"b":[true,null,"x"],"a":1}`), true},
		{"call, numbers by value", call(`{"a":1,"b":-0,"c":1500}`), call(`{"a":1.0,"b":0,"c":1.5E+3}`), true},
		{"call, digits that a float loses", call(`{"a":9007199254740993}`), call(`{"a":9007199254740992}`), false},
		{"call, 1 is not \"1\"", call(`{"a":1}`), call(`{"a":"1"}`), false},
		{"call, null is not absent", call(`{"a":null}`), call(`{}`), false},
		{"call, list in another order", call(`{"a":[1,2]}`), call(`{"a":[2,1]}`), false},
		{"call, keys that look like two", call(`{"a":"1,\"b\":2"}`), call(`{"a":"1","b":2}`), false},
		{"call, no arguments", Act{Kind: ActionCall, Tool: "x"}, Act{Kind: ActionCall, Tool: "x", Arguments: map[string]any{}}, true},
		{"call of another tool", Act{Kind: ActionCall, Tool: "x"}, Act{Kind: ActionCall, Tool: "y"}, false},
		{"call of no tool", Act{Kind: ActionCall}, Act{Kind: ActionCall}, false},
		{"deletion", Act{Kind: ActionDelete, Path: "/w/a"}, Act{Kind: ActionDelete, Path: "/w/a"}, false},
		{"unknown kind", Act{Kind: "x", Path: "/w/a"}, Act{Kind: "x", Path: "/w/a"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var acts Acts
			acts.Allow("s", test.a, Decision{Verdict: Approve, Source: SourcePerson, Rule: "r", Reason: "why"})
			d, got := acts.Take("s", test.b)
			if got != test.want {
				t.Fatalf("taken %t, want %t", got, test.want)
			}
			want := Decision{Verdict: Approve, Source: SourceAct, First: SourcePerson, Rule: "r", Reason: "why"}
			if diff := cmp.Diff(want, d); got && diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, again := acts.Take("s", test.b); again {
				t.Error("it could be taken twice")
			}
		})
	}
}

func TestActs(t *testing.T) {
	t.Parallel()
	read := Act{Kind: ActionRead, Path: "/w/a"}
	take := func(t *testing.T, acts *Acts, session string) string {
		t.Helper()
		d, ok := acts.Take(session, read)
		if !ok {
			return "nothing"
		}
		return d.Verdict.String()
	}
	tests := []struct {
		name string
		do   func(*Acts)
		want []string // of Takes in session s, one after the other
	}{
		{"nothing was said", func(*Acts) {}, []string{"nothing"}},
		{"said once", func(a *Acts) { a.Allow("s", read, Decision{}) }, []string{"approve", "nothing"}},
		{"said twice", func(a *Acts) { a.Allow("s", read, Decision{}); a.Allow("s", read, Decision{}) }, []string{"approve", "approve", "nothing"}},
		{"refused", func(a *Acts) { a.Refuse("s", read, Decision{Verdict: Approve}) }, []string{"reject", "nothing"}},
		{"the last word is no", func(a *Acts) { a.Allow("s", read, Decision{}); a.Refuse("s", read, Decision{}) }, []string{"reject", "nothing"}},
		{"the last word is yes", func(a *Acts) { a.Refuse("s", read, Decision{}); a.Allow("s", read, Decision{}) }, []string{"approve", "nothing"}},
		{"in another session", func(a *Acts) { a.Allow("other", read, Decision{}) }, []string{"nothing"}},
		{"in no session", func(a *Acts) { a.Allow("", read, Decision{}) }, []string{"nothing"}},
		{"in the turn before", func(a *Acts) { a.Allow("s", read, Decision{}); a.EndTurn("s") }, []string{"nothing"}},
		{"another session's turn ended", func(a *Acts) { a.Allow("s", read, Decision{}); a.EndTurn("other") }, []string{"approve"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			acts := NewActs()
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
	acts := NewActs()
	for i := range mostActs + 10 {
		acts.Allow("s", Act{Kind: ActionRead, Path: fmt.Sprintf("/w/%d", i)}, Decision{})
	}
	taken := 0
	for i := range mostActs + 10 {
		if _, ok := acts.Take("s", Act{Kind: ActionRead, Path: fmt.Sprintf("/w/%d", i)}); ok {
			taken++
		}
	}
	if taken != mostActs {
		t.Errorf("%d acts were kept, want %d", taken, mostActs)
	}
	acts.Allow("s", Act{Kind: ActionRead, Path: "/w/later"}, Decision{})
	if _, ok := acts.Take("s", Act{Kind: ActionRead, Path: "/w/later"}); !ok {
		t.Error("nothing is kept any more once what was kept has been taken")
	}
	for i := range mostActSessions + 10 {
		acts.Allow(fmt.Sprint("session ", i), Act{Kind: ActionRead, Path: "/w/a"}, Decision{})
	}
	if len(acts.sessions) > mostActSessions {
		t.Errorf("%d sessions are kept, want at most %d", len(acts.sessions), mostActSessions)
	}
}

func TestActsAtOnce(t *testing.T) {
	t.Parallel()
	acts := NewActs()
	read := Act{Kind: ActionRead, Path: "/w/a"}
	for range 50 {
		acts.Allow("s", read, Decision{})
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

// TestAfter checks what an earlier answer about the same act changes of what the rules say now: it answers a question, and lifts no
// rejection.
func TestAfter(t *testing.T) {
	t.Parallel()
	by := func(verdict Verdict, first Source, rule string) Decision {
		return Decision{Verdict: verdict, Source: SourceAct, First: first, Rule: rule, At: "f:1"}
	}
	person, rule := by(Approve, SourcePerson, ""), by(Approve, SourcePolicy, "r")
	no := by(Reject, SourcePerson, "")
	for _, test := range []struct {
		name    string
		now     Decision
		earlier Decision
		want    Verdict
	}{
		{"a person's yes, and a rule that rejects", Decision{Verdict: Reject, Source: SourcePolicy}, person, Reject},
		{"a rule's yes, and a rule that rejects", Decision{Verdict: Reject, Source: SourcePolicy}, rule, Reject},
		{"a person's yes, and nothing is known", Decision{Verdict: Ask, Source: SourceDefault, Open: true}, person, Approve},
		{"a person's yes, and a rule that asks", Decision{Verdict: Ask, Source: SourcePolicy, Rule: "q"}, person, Approve},
		{"a person's yes, and a control file", Decision{Verdict: Ask, Source: SourceControlFile}, person, Approve},
		{"a person's yes, and a tool that wants to be confirmed", Decision{Verdict: Ask, Source: SourceTool}, person, Ask},
		{"a person's yes, and a rule that approves", Decision{Verdict: Approve, Source: SourcePolicy}, person, Approve},
		{"a rule's yes, and nothing is known", Decision{Verdict: Ask, Source: SourceDefault, Open: true}, rule, Approve},
		{"a rule's yes, and a control file", Decision{Verdict: Ask, Source: SourceControlFile}, rule, Ask},
		{"a rule's yes, and a doubt", Decision{Verdict: Ask, Source: SourceDoubt}, rule, Ask},
		{"a rule's yes, and another rule asks", Decision{Verdict: Ask, Source: SourcePolicy, Rule: "q", At: "f:2"}, rule, Ask},
		{"a rule's yes that was its last", Decision{Verdict: Ask, Source: SourcePolicy, Rule: "r", At: "f:1"}, rule, Approve},
		{"a no, and a rule that approves", Decision{Verdict: Approve, Source: SourcePolicy}, no, Reject},
		{"a no, and nothing is known", Decision{Verdict: Ask, Source: SourceDefault, Open: true}, no, Reject},
	} {
		if got := test.now.After(test.earlier); got.Verdict != test.want {
			t.Errorf("%s: %s, want %s", test.name, got.Verdict, test.want)
		}
	}
}

// FuzzActKey holds the key of acts against their members: acts have one key exactly when every member that is handed on is the same.
func FuzzActKey(f *testing.F) {
	f.Add("ls", "-l\x00a", "/w", "A=1", "m", "ls -l", "", "/w", "A=1", "m")
	f.Add("", "a\x00b", "/w", "", "", "a b", "", "/w", "", "")
	f.Fuzz(func(t *testing.T, text1, argv1, dir1, env1, more1, text2, argv2, dir2, env2, more2 string) {
		act := func(text, argv, dir, env, more string) Act {
			a := Act{Kind: ActionExecute, Command: text, Dir: "/" + dir, More: more}
			if argv != "" {
				a.Argv = strings.Split(argv, "\x00")
			}
			for variable := range strings.SplitSeq(env, "\x00") {
				if name, value, ok := strings.Cut(variable, "="); ok {
					a.Env = append(a.Env, Variable{name, value})
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
