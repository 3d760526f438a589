package permissions

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestRequestConditions checks what rules make of the HTTP request that an act sends, and that an act without one is
// none that they are about.
func TestRequestConditions(t *testing.T) {
	t.Parallel()
	sent := map[string]any{
		"method": "POST", "url": "https://api.example.com/v1/orders?dry=true", "path": "/v1/orders",
		"query": map[string]any{"dry": "true", "tag": []any{"a", "b"}},
		"body":  map[string]any{"pizza": "x", "count": json.Number("3"), "deep": map[string]any{"er": json.Number("1.5")}},
	}
	yes := true
	for _, test := range []struct {
		name    string
		request map[string]Matcher
		when    string
		sent    map[string]any
		secret  bool
		want    bool
	}{
		{"method", map[string]Matcher{"method": {In: []any{"POST"}}}, "", sent, false, true},
		{"another method", map[string]Matcher{"method": {In: []any{"GET", "PUT"}}}, "", sent, false, false},
		{"host", map[string]Matcher{"url": {Host: []string{"api.example.com"}}}, "", sent, false, true},
		{"another host", map[string]Matcher{"url": {Host: []string{"example.org"}}}, "", sent, false, false},
		{"path", map[string]Matcher{"path": {Regex: "/v1/[a-z]+"}}, "", sent, false, true},
		{"half a path", map[string]Matcher{"path": {Regex: "/v1"}}, "", sent, false, false},
		{"query", map[string]Matcher{"query.dry": {In: []any{"true"}}}, "", sent, false, true},
		{"one of several", map[string]Matcher{"query.tag": {In: []any{"a"}}}, "", sent, false, false},
		{"body", map[string]Matcher{"body.count": {Max: "3"}}, "", sent, false, true},
		{"too many", map[string]Matcher{"body.count": {Max: "2"}}, "", sent, false, false},
		{"absent", map[string]Matcher{"body.gift": {Absent: &yes}}, "", sent, false, true},
		{"not absent", map[string]Matcher{"body.pizza": {Absent: &yes}}, "", sent, false, false},
		{"no request", map[string]Matcher{"method": {In: []any{"POST"}}}, "", nil, false, false},
		{"secret", map[string]Matcher{"body.pizza": {In: []any{"y"}}}, "", sent, true, false},
		{"expression", nil, `call.request.method == "POST" && call.request.body.deep.er > 1.0`, sent, false, true},
		{"expression about none", nil, `call.request.method == "POST"`, nil, false, false},
	} {
		set := NewSet([]File{{Version: Version2, Rules: []Rule{{
			ID: "r", AppliesTo: []string{"order"}, Request: test.request, When: test.when, Verdict: Approve,
		}}}})
		r := Request{Door: tool.DoorMCP, Action: ActionCall, Tools: []string{"order"}, Sent: test.sent}
		if test.secret {
			r.Secret = map[string]bool{"pizza": true}
		}
		d := New(Options{Policies: set}).Decide(r)
		if got := d.Verdict == Approve; got != test.want {
			t.Errorf("%s: %s: %v", test.name, d.Verdict, d.Reasons)
		}
		for _, reason := range d.Reasons {
			if test.secret && strings.Contains(reason.Why, `"x"`) {
				t.Errorf("%s: the reason tells a secret: %s", test.name, reason.Why)
			}
		}
	}
	if told := (&Request{Sent: sent, Secret: map[string]bool{"pizza": true}}).SentAsTold(); len(told) != 1 || told["method"] != "POST" {
		t.Errorf("told %v of a request with a secret argument", told)
	}
}
