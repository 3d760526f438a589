package permissions

import (
	"strings"
	"testing"
)

// Among the answers of a rule's conditions, no is stronger than what cannot be told, and a person is shown the
// first that cannot be told.
func TestAskAll(t *testing.T) {
	t.Parallel()
	type said struct {
		holds holds
		why   string
	}
	for _, c := range []struct {
		name string
		of   []said
		want finding
	}{
		{"nothing", nil, finding{holds: yes}},
		{"a match", []said{{yes, ""}, {yes, ""}}, finding{yes, "", ""}},
		{"a match that needs a word", []said{{yes, "a"}, {yes, ""}}, finding{yes, "", "a"}},
		{"two of them", []said{{yes, "a"}, {yes, "b"}}, finding{yes, "", "b"}},
		{"no", []said{{yes, "a"}, {no, "b"}, {yes, "c"}}, finding{no, "1", "b"}},
		{"no behind what cannot be told", []said{{maybe, "a"}, {no, "b"}}, finding{no, "1", "b"}},
		{"no behind what the record does not tell", []said{{untold, "a"}, {no, "b"}}, finding{no, "1", "b"}},
		{"what cannot be told", []said{{yes, "a"}, {maybe, "b"}, {yes, "c"}}, finding{maybe, "1", "b"}},
		{"nobody says why", []said{{maybe, ""}, {yes, "c"}},
			finding{maybe, "0", "it cannot be told what the command touches, and the rule may be about it"}},
		{"twice", []said{{maybe, "a"}, {maybe, "b"}}, finding{maybe, "0", "a"}},
		{"what the record does not tell", []said{{yes, ""}, {untold, "b"}, {yes, "c"}}, finding{untold, "1", "b"}},
		{"and why is not said", []said{{untold, ""}}, finding{untold, "0", ""}},
		{"behind what cannot be told", []said{{maybe, "a"}, {untold, "b"}}, finding{untold, "1", "b"}},
		{"in front of what cannot be told", []said{{untold, "a"}, {maybe, "b"}}, finding{untold, "0", "a"}},
		{"twice not told", []said{{untold, "a"}, {untold, "b"}}, finding{untold, "1", "b"}},
	} {
		var conditions []ruleCondition
		for i, one := range c.of {
			conditions = append(conditions, ruleCondition{string('0' + rune(i)), func(*compiledRule, *evaluation) (holds, string) {
				return one.holds, one.why
			}})
		}
		if got := (&compiledRule{}).askAll(nil, conditions, finding{holds: yes}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	before := finding{maybe, "agents", "before"}
	again := []ruleCondition{{"when", func(*compiledRule, *evaluation) (holds, string) { return maybe, "now" }}}
	if got := (&compiledRule{}).askAll(nil, again, before); got != before {
		t.Errorf("behind what the request did not tell: %+v, want %+v", got, before)
	}
}

// A list of commands that covers the act does not end what is gathered for its rule: the risk is looked at
// beside, and what it looks at must have been gathered, or the test's authority panics.
func TestGatherGoesOn(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, c := range []struct {
		name string
		rule Rule
		want string
	}{
		{"a risk", rule("r", Approve, commands("", "npm test"), atMost(RiskHigh)), "approve policy"},
		{"an expression", rule("r", Approve, commands("", "npm test"), when("call.risk == 'high'")), "ask default"},
	} {
		if d := b.authority(v2(c.rule)).Decide(b.run("npm test")); said(d) != c.want {
			t.Errorf("%s: %s: %s; want %s", c.name, said(d), d.Reason, c.want)
		}
	}
}

func TestBriefly(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 58)
	for _, c := range []struct {
		value any
		want  string
	}{
		{"a", `"a"`}, {nil, "null"}, {[]any{1, "b"}, `[1,"b"]`}, {long, `"` + long + `"`},
		{long + "y", `"` + long + "y…"}, {"\u202e", `"\u{202e}"`}, {func() {}, "a func()"},
	} {
		if got := briefly(c.value); got != c.want {
			t.Errorf("%v is written %s, want %s", c.value, got, c.want)
		}
	}
}
