package permissions

import (
	"math"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Two sets together: what they say of an act that no rule is about is the stronger word, in either order.
func TestOutcomesTogether(t *testing.T) {
	t.Parallel()
	says := func(verdict Verdict, in string) outcome { return outcome{unmatched: &verdict, unmatchedIn: in} }
	for _, c := range []struct {
		name string
		a, b outcome
		want string // the file
	}{
		{"neither", outcome{}, outcome{}, ""},
		{"the first alone", says(Reject, "a"), outcome{}, "a"},
		{"the second alone", outcome{}, says(Ask, "b"), "b"},
		{"the first is stronger", says(Reject, "a"), says(Ask, "b"), "a"},
		{"the second is stronger", says(Ask, "a"), says(Reject, "b"), "b"},
		{"both", says(Ask, "a"), says(Ask, "b"), "a"},
	} {
		got := c.a.with(c.b)
		if got.unmatchedIn != c.want || (got.unmatched == nil) != (c.want == "") {
			t.Errorf("%s: %+v, want it from %q", c.name, got, c.want)
		}
		if got.unmatched != nil && (c.a.unmatched != nil && c.a.unmatched.stronger(*got.unmatched) ||
			c.b.unmatched != nil && c.b.unmatched.stronger(*got.unmatched)) {
			t.Errorf("%s: %s, which is not the strongest", c.name, *got.unmatched)
		}
	}
}

// The author's reason is told of the author's verdict only, and never for a rule with a mistake.
func TestOutcomeReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rule compiledRule
		said Verdict
		want string
	}{
		{"the author's", compiledRule{Rule: rule("r", Reject, because("no network"))}, Reject, "no network"},
		{"none", compiledRule{Rule: rule("r", Reject)}, Reject, "why"},
		{"of another verdict", compiledRule{Rule: rule("r", Approve, because("harmless"))}, Ask, "why"},
		{"of a rule with a mistake", compiledRule{Rule: rule("r", Reject, because("no network")), fault: "a mistake"}, Reject, "why"},
	} {
		if got := (outcome{rule: &c.rule, verdict: c.said, why: "why"}).reason(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whose file a rule is from: a workspace's, trusted or not, is the project's whatever its layer.
func TestLayerOfFile(t *testing.T) {
	t.Parallel()
	for want, file := range map[string]File{
		tool.LayerUser.String(): {Layer: tool.LayerUser},
		"project":               {Layer: tool.LayerUser, TightenOnly: true},
	} {
		if got := (&compiledFile{File: file}).layer(); got != want {
			t.Errorf("%+v: %s, want %s", file, got, want)
		}
	}
	if got := (&compiledFile{File: File{Layer: tool.LayerUser, Root: "/w"}}).layer(); got != "project" {
		t.Errorf("a trusted one: %s", got)
	}
}

// A parameter that is no JSON value counts in the hash of the rules, as their other words do.
func TestHashOfOddParameters(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, r := range map[string]Rule{
		"NaN": rule("r", Approve, equal("a", math.NaN())), "infinite": rule("r", Approve, equal("a", math.Inf(1))),
		"another name": rule("r", Approve, equal("b", math.NaN())), "another rule": rule("s", Approve, equal("a", math.NaN())),
	} {
		hash := NewSet([]File{v2(r)}).Hash()
		if other, known := seen[hash]; known {
			t.Errorf("%s and %s are one", name, other)
		}
		seen[hash] = name
	}
}

// A workspace that nobody trusts says of acts that no rule is about only that they are rejected.
func TestUnmatchedOfUntrusted(t *testing.T) {
	t.Parallel()
	for said, counts := range map[Verdict]bool{Reject: true, Ask: false, Approve: false} {
		got := NewSet([]File{{Name: "its", TightenOnly: true, Unmatched: &said}}).combine(&evaluation{}, nil)
		if (got.unmatched != nil) != counts {
			t.Errorf("%s counts: %v, want %v", said, got.unmatched != nil, counts)
		}
	}
}
