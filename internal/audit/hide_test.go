package audit

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestHide takes what must not stand on record out of every text of an event, and out of nothing else.
func TestHide(t *testing.T) {
	t.Parallel()
	const secret = `s"e\c<r>et` + "\n"
	hide := strings.NewReplacer(secret, "[hidden]", inString(secret), "[hidden]", "session_id", "[hidden]", "arguments", "[hidden]").Replace
	dir := filepath.Join(t.TempDir(), "audit")
	log := newTestLog(dir, Options{Hide: hide})
	if err := log.open(); err != nil {
		t.Fatal(err)
	}
	event := events.Event{Type: events.ToolEnded, Session: "s", Detail: "x" + secret + "y" + secret, Act: &events.Act{
		Kind: "call", Shell: "echo " + secret, Paths: []string{"/a/" + secret},
		Arguments: map[string]any{"deep": []any{map[string]any{"er": secret}}, "arguments": "session_id", "n": json.Number("1.50")},
	}, Outcome: &events.Outcome{Error: secret, Stdout: "", Status: "arguments"}}
	keep(t, log, event)
	keep(t, log, events.Event{Type: events.ToolEnded, Detail: strings.Repeat(secret, 200_000)})                   // too long before
	keep(t, log, events.Event{Type: events.ToolEnded, CallID: "c", Detail: strings.Repeat("session_id", 90_000)}) // fits
	log.Close()
	lines := checkChain(t, dir)
	entries, err := List(dir, Filter{})
	if err != nil || len(entries) != 3 || len(lines) != 3 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for _, e := range entries {
		if strings.Contains(string(e.Raw), inString(secret)) {
			t.Errorf("it stands there: %.300s", e.Raw)
		}
	}
	e := entries[0]
	if e.Session != "s" || e.Detail != "x[hidden]y[hidden]" || e.Act.Shell != "echo [hidden]" || e.Act.Paths[0] != "/a/[hidden]" ||
		e.Outcome.Error != "[hidden]" || e.Outcome.Status != "[hidden]" || e.Act.Arguments["arguments"] != "[hidden]" {
		t.Errorf("%s", e.Raw)
	}
	if !strings.Contains(string(e.Raw), `"n":1.50`) {
		t.Errorf("another byte has changed: %s", e.Raw)
	}
	if report, err := Verify(dir, VerifyOptions{}); err != nil || !report.OK {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestHideMakesItLonger: a line is never longer than it may be, however much longer marks are than values.
func TestHideMakesItLonger(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	log := newTestLog(dir, Options{Hide: strings.NewReplacer("ä", strings.Repeat("x", 100)).Replace})
	if err := log.open(); err != nil {
		t.Fatal(err)
	}
	event := bloated(strings.Repeat("ä", 300))
	event.CallID = "call"
	if err := log.Record(context.Background(), event); err != nil {
		t.Fatal(err)
	}
	log.Close()
	if lines := checkChain(t, dir); lines[0]["call_id"] != "call" || lines[0]["cut"] == nil {
		t.Errorf("%v", lines[0])
	}
}

// inString is a text as it stands within a string of JSON.
func inString(text string) string {
	encoded, err := encode(text)
	if err != nil {
		panic(err)
	}
	return string(encoded[1 : len(encoded)-1])
}

// TestHidden is what a log hears of an event: what stands on record.
func TestHidden(t *testing.T) {
	t.Parallel()
	hide := func(text string) string { return strings.ReplaceAll(text, "open-sesame", "***") }
	event := typical(events.ToolDecided)
	event.Act.Arguments["word"], event.Detail = "open-sesame", "it was open-sesame"
	got := Hidden(event, hide)
	if got.Detail != "it was ***" || got.Act.Arguments["word"] != "***" || got.CallID != event.CallID ||
		event.Detail != "it was open-sesame" {
		t.Errorf("%+v", got)
	}
	event.Act.Arguments["word"] = func() {}
	if got := Hidden(event, hide); got.Type != events.ToolDecided || got.Detail != "" {
		t.Errorf("%+v", got)
	}
}
