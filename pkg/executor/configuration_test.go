package executor

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// swapping is a host that has another configuration put in force when a call is planned: after its tool was
// found, and before anybody has decided about it.
type swapping struct {
	Host
	swap func()
}

func (s swapping) Plan(p sandbox.Profile) (sandbox.Plan, error) {
	s.swap()
	return s.Host.Plan(p)
}

// TestOneConfiguration checks that a call is decided by the rules that came with its tool, and that it does
// not run where those in force by then are others.
func TestOneConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		second permissions.Verdict
		same   bool // what is put in force says the same
		runs   bool
	}{
		{"nothing changes", permissions.Approve, true, true},
		{"other rules approve it", permissions.Approve, false, false},
		{"other rules reject it", permissions.Reject, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.has(script(touch))
			configuration := func(id string, verdict permissions.Verdict) Configuration {
				r := rule(verdict)
				r.ID = id
				set := permissions.NewSet([]permissions.File{{Version: permissions.Version2, Rules: []permissions.Rule{r}}})
				return Configuration{Tools: h.tools, InForce: gate.InForce{Rules: permissions.New(permissions.Options{Policies: set})}}
			}
			in := configuration("first", permissions.Approve)
			h.executor.inForce = func(tool.Workspace) Configuration { return in }
			var err error
			if h.executor.gate, err = gate.New(gate.Options{InForce: func(tool.Workspace) gate.InForce { return in.InForce }, Record: ledger{h}}); err != nil {
				t.Fatal(err)
			}
			h.runsIn(swapping{h.host(), func() {
				if !test.same {
					in = configuration("second", test.second)
				}
			}})
			result := h.execute(t.Context(), `{"word":"x"}`)
			if result.Metadata.Decision == nil || result.Metadata.Decision.Rule != "first" {
				t.Errorf("decided by %+v, want the rule that came with the tool", result.Metadata.Decision)
			}
			if h.hasRun() != test.runs || !test.runs && (codeOf(result) != tool.FailDenied || !strings.Contains(result.Error.Message, "no longer holds")) {
				t.Errorf("has run: %t, %v", h.hasRun(), result.Error)
			}
		})
	}
}
