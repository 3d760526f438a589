package governor

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestProspects checks which governors are said to be asked, what each could change, and that none is asked
// by it.
func TestProspects(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ignore := func(s *Spec) { s.OnError, s.OnTimeout = FallbackIgnore, FallbackIgnore }
	cel := func(id, expression string, v Verb) Spec {
		return spec(id, KindCEL, func(s *Spec) { ignore(s); s.CEL = CEL{Expression: expression, Otherwise: v} })
	}
	ran := filepath.Join(h.scripts, "ran")
	manual := spec("manual", KindSecrets, func(s *Spec) { ignore(s); s.Found, s.RequiresManual = VerbReject, true })
	specs := []Spec{
		h.script("script", "touch "+ran),
		cel("cel", "true", VerbAsk),
		cel("map", `{"status": "abstain"}`, VerbAsk),
		spec("rate", KindRate, func(s *Spec) {
			ignore(s)
			s.Limit = Limit{Calls: 1, Per: DefaultDeadline, Key: KeyAll, Beyond: VerbReject}
		}),
		spec("secrets", KindSecrets, func(s *Spec) { s.OnError, s.OnTimeout, s.Found = FallbackIgnore, FallbackReject, VerbAsk }),
		spec("others", KindSecrets, func(s *Spec) { s.AppliesTo = []string{"other"} }),
		manual,
	}
	for _, test := range []struct {
		name    string
		decided permissions.Decision
		all     bool // auto_decision: all_approve
		want    string
	}{
		{"a rule approves", permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePolicy}, true,
			"script: reject ask; cel: ask; map: reject ask; rate: reject; secrets: reject ask"},
		{"a rule approves, and wants none", permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePolicy, SkipGovernors: true}, true, ""},
		{"a rule asks", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy}, true,
			"script: reject; cel: ; map: reject; rate: reject; secrets: reject; manual: reject"},
		{"only the default asks", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}, true,
			"script: reject approve; cel: approve; map: reject approve; rate: reject; secrets: reject; manual: reject"},
		{"nobody may answer for the person", permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}, false,
			"script: reject; cel: ; map: reject; rate: reject; secrets: reject; manual: reject"},
		{"it is rejected", permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourcePolicy}, true, ""},
	} {
		settings := DefaultSettings()
		settings.AllApprove = test.all
		h.governors = h.governors.With([]File{{Permission: specs, PermissionSettings: settings}})
		review := h.review()
		review.Decided = test.decided
		list := h.governors.Candidates(review)
		var got []string
		for _, p := range list {
			got = append(got, p.Governor+": "+strings.Join(p.Could, " "))
			if p.At != "governors.yaml:3" || p.Type == "" || p.Could == nil {
				t.Errorf("%s: got %+v", test.name, p)
			}
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" || list == nil {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if found, err := filepath.Glob(ran); err != nil || found != nil {
		t.Errorf("the program was run: %v, %v", found, err)
	}
	// The one call that the rate allows is still there.
	h.has(specs[3])
	if r := h.governors.Review(t.Context(), h.review()); !r.Silent {
		t.Errorf("what was not asked was counted: %+v", r)
	}
}
