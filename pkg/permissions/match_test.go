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
			finding{maybe, "0", "it cannot be told whether it is what this rule asks about"}},
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
		{"an argument", rule("r", Approve, commands("", "npm test"), wants("dir", Matcher{Within: "docs"})), "approve policy"},
		{"an argument that does not fit", rule("r", Approve, commands("", "npm test"), wants("dir", Matcher{Within: "src"})), "ask default"},
		{"a profile", rule("r", Approve, commands("", "npm test"), inProfile), "approve policy"},
		{"both lists of commands", rule("r", Reject, commands("", "npm test"), prefixes("npm")), "reject policy"},
		{"the first of two lists of commands", rule("r", Reject, commands("", "ls"), prefixes("npm")), "ask default"},
		{"the second of them", rule("r", Reject, commands("", "npm test"), prefixes("ls")), "ask default"},
	} {
		request := with(b.run("npm test"), func(r *Request) { r.Arguments, r.TakesProfile = args("dir", "docs"), true })
		if d := b.authority(v2(c.rule)).Decide(request); said(d) != c.want {
			t.Errorf("%s: %s: %s; want %s", c.name, said(d), d.Reason, c.want)
		}
	}
}

func prefixes(texts ...string) func(*Rule) { return func(r *Rule) { r.CommandPrefixes = texts } }

// What a rule that matches says in words has each of its conditions, and so the tool alone only where it has
// no other.
func TestBecause(t *testing.T) {
	t.Parallel()
	for want, rule := range map[string]Rule{
		"the tool matches":                                 rule("r", Approve),
		"the tool and the risk match":                      rule("r", Approve, atMost(RiskLow)),
		"the tool and the principal match":                 rule("r", Approve, principals("*")),
		"the tool, the agent, the mode and the risk match": rule("r", Approve, atLeast(RiskLow), agents("x"), inModes("m")),
		"the tool, the git work tree, the agent's sandbox and the condition match": rule("r", Approve, when("true"),
			func(r *Rule) { r.InGitWorkTree, r.Confined = true, true }),
		"the tool, the arguments and the commands match": rule("r", Approve, equal("a", 1), commands("", "ls")),
		"the tool and the paths match":                   rule("r", Approve, exclude("x")),
	} {
		if got := compileRule(rule).because(); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	word := finding{holds: yes, why: "a word"}
	if got := compileRule(rule("r", Approve)).matchFacts(&evaluation{}, word); got.why != word.why {
		t.Errorf("what a condition has said is lost: %+v", got)
	}
}

// Of several arguments that do not fit, the first by name is told, every time.
func TestFirstArgument(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	r := rule("r", Approve)
	r.Parameters = map[string]any{}
	for _, name := range strings.Split("hgfedcba", "") {
		r.Parameters[name] = "x"
	}
	if d := b.authority(v2(r)).Decide(b.call("x", nil)); !strings.Contains(d.Reasons[0].Why, "there is no argument a") {
		t.Errorf("%s", d.Reasons[0].Why)
	}
}

func TestListed(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{"": nil, "a": {"a"}, "a, b, c": {"a", "b", "c"}, "a, b, c, …": {"a", "b", "c", "d", "e"}} {
		if got := listed(texts); got != want {
			t.Errorf("%q; want %q", got, want)
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
