package permissions

import (
	"errors"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// A command that a person allows for a session is allowed where it was asked about: elsewhere the same
// words do something else.
func TestSessionGrantsKeepTheDirectory(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority()
	r := b.request(ActionExecute, toolShell)
	r.SetShellText("make test")
	a.Remember(r.Session, r, func(text string) string { return text })
	if d := a.Decide(r); d.Verdict != Approve {
		t.Fatalf("where it was allowed it is %s: %s", d.Verdict, d.Reason)
	}
	r.Dir = b.ws + "/docs"
	if d := a.Decide(r); d.Verdict != Ask {
		t.Errorf("in another directory it is %s: %s", d.Verdict, d.Reason)
	}
}

// A grant ends with its time, whatever else still holds.
func TestGrantsExpire(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	digest := tool.Digest{1}
	g, err := Issue(Decision{Verdict: Approve, Policy: "p"}, digest, "plan", now)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Covers(digest, "plan", "p", "", now.Add(PermitLife-time.Second)); err != nil {
		t.Errorf("before its time is up: %v", err)
	}
	if err := g.Covers(digest, "plan", "p", "", now.Add(PermitLife)); !errors.Is(err, ErrPermitExpired) {
		t.Errorf("when its time is up: %v", err)
	}
	if err := g.Covers(digest, "plan", "q", "", now); !errors.Is(err, ErrPermitMismatch) {
		t.Errorf("with other rules: %v", err)
	}
}
