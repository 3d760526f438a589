package executor

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestResolveByAccess checks that who may call a tool is held where it is resolved, whatever a door has looked at before: to
// whom it does not let in it is a tool that does not exist, and no hint names it.
func TestResolveByAccess(t *testing.T) {
	t.Parallel()
	rule := tool.AccessRule{Matchers: []tool.ClaimMatcher{{Path: []string{"role"}, Operator: tool.ClaimEquals, Value: "staff"}}}
	at := tool.Source{File: "tools.yaml", Line: 3}
	named := rule
	named.Issuer = "corp"
	h := newHouse(t)
	h.tools = NewTools([]*Entry{
		{Tool: &tool.Tool{ID: "payroll", Access: &tool.Access{Rules: []tool.AccessRule{rule}, Source: at}}},
		{Tool: &tool.Tool{ID: "budgets", Access: &tool.Access{Rules: []tool.AccessRule{named}, Source: at}}},
		{Tool: &tool.Tool{ID: "nobodys", Access: &tool.Access{Source: at}}},
		{Tool: &tool.Tool{ID: "hidden", Access: &tool.Access{Rules: []tool.AccessRule{rule}, Source: at}, Disabled: true, Unavailable: "the reason"}},
		{Tool: &tool.Tool{ID: "weather"}},
	})
	claims := func(role string, only bool) tool.Claims {
		return tool.NewClaims(tool.VerifiedClaims{Issuer: "corp", Only: only, All: map[string]any{"role": role}}, nil)
	}
	none, staff := tool.Claims{}, claims("staff", true)
	const missing = "; `a2a-acp tools list` lists them"
	for _, test := range []struct {
		name, call string
		door       tool.Door
		claims     tool.Claims
		want       string // "" where there is one
	}{
		{"for everybody", "weather", tool.DoorMCP, none, ""},
		{"with the claim", "payroll", tool.DoorMCP, staff, ""},
		{"with none", "payroll", tool.DoorMCP, none, `there is no tool "payroll"` + missing},
		{"with another", "payroll", tool.DoorA2A, claims("guest", true), `there is no tool "payroll"` + missing},
		{"of several issuers, and the rule names none", "payroll", tool.DoorMCP, claims("staff", false), `there is no tool "payroll"` + missing},
		{"of several issuers, and the rule names it", "budgets", tool.DoorMCP, claims("staff", false), ""},
		{"for nobody", "nobodys", tool.DoorMCP, staff, `there is no tool "nobodys"` + missing},
		{"switched off, which is not told", "hidden", tool.DoorMCP, none, `there is no tool "hidden"` + missing},
		{"switched off, which is told", "hidden", tool.DoorMCP, staff, "is switched off"},
		{"nearly one that is hidden", "payrol", tool.DoorMCP, none, `there is no tool "payrol"` + missing},
		{"nearly one that is there", "payrol", tool.DoorMCP, staff, `there is no tool "payrol" (did you mean payroll?)` + missing},
		{"nearly one for everybody", "wether", tool.DoorMCP, none, "(did you mean weather?)"},
		{"a person at the files", "payroll", tool.DoorCLI, none,
			`tool "payroll" is not available here: it is for callers whose tokens say so (access, tools.yaml:3), which only the daemon verifies`},
		{"a person, and it is for nobody", "nobodys", tool.DoorCLI, none, `tool "nobodys" is not available here: access lets nobody call it (tools.yaml:3)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			call := tool.Call{ID: "1", Tool: test.call, Origin: tool.Origin{Door: test.door, Claims: test.claims}}
			_, direct := resolve(Configuration{Tools: h.tools, InForce: gate.InForce{}}, call)
			_, resumed := h.executor.resumed(call, events.Job{URL: "https://api.example.com/jobs/1"})
			if test.want == "" {
				if direct != nil || resumed == nil || !strings.Contains(resumed.Message, "begins no job") {
					t.Errorf("%v, and a job %v", direct, resumed)
				}
				return
			}
			for how, failure := range map[string]*tool.Failure{"a call": direct, "a job of another": resumed} {
				if failure == nil || failure.Code != tool.FailNotFound || !strings.Contains(failure.Message, test.want) {
					t.Errorf("%s: %v, want %q", how, failure, test.want)
				}
			}
		})
	}
}
