package executor

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// onRecord is everything that was recorded, as JSON.
func (h *house) onRecord() string {
	h.t.Helper()
	text, err := json.Marshal(h.events)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

// TestMarksOnRecord has the values of secret parameters, and those that a tool was given, stand on record as their
// keyed hashes: in arguments, in what runs, and by the variables that had them.
func TestMarksOnRecord(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	hidden := &secret.Hidden{Hashes: secret.NewHashes(t.TempDir())}
	h.executor.hidden = hidden
	h.vault = vault{"key": apiKey}
	work := referring(`bash -c {{command}} 2>&1`)
	work.AllowDynamicCommand = true
	work.Parameters = []tool.Parameter{{Name: "command", Type: tool.TypeString, Required: true},
		{Name: "password", Type: tool.TypeString, Secret: true}, {Name: "pin", Type: tool.TypeInteger, Secret: true},
		{Name: "codes", Type: tool.TypeArray, Secret: true}}
	h.has(work)
	const password = "open-sesame-42"
	result := h.execute(t.Context(), `{"command":"echo `+password+` $API_KEY","password":"`+password+`","pin":1234,"codes":["a1b2c3d4"]}`)
	if result.Stdout != "[secret] [secret]\n" {
		t.Fatalf("%+v", result)
	}
	for _, value := range []string{password, apiKey, "a1b2c3d4"} {
		if strings.Contains(h.onRecord(), value) {
			t.Errorf("%s stands on record", value)
		}
	}
	decided, begun := h.of(events.ToolDecided)[0], h.of(events.ToolStarted)[0]
	for name, want := range map[string]string{"password": hidden.Mark(password), "pin": hidden.Mark("1234"), "codes": hidden.Mark(`["a1b2c3d4"]`)} {
		if got := decided.Act.Arguments[name]; got != want {
			t.Errorf("%s is on record as %v, want %s", name, got, want)
		}
	}
	if want := "echo " + hidden.Mark(password) + " $API_KEY"; decided.Act.Shell != want {
		t.Errorf("what runs is on record as %q, want %q", decided.Act.Shell, want)
	}
	if begun.Act.Given["API_KEY"] != hidden.Mark(apiKey) || decided.Act.Given != nil {
		t.Errorf("it was given %v", begun.Act.Given)
	}
	if got := hidden.Hide("curl -u " + password); strings.Contains(got, password) {
		t.Errorf("what is recorded later holds a value: %s", got)
	}
}

// TestAuditLevels has as much of a call on record as its tool's author wants: nothing of what it is about, or what it
// prints as well.
func TestAuditLevels(t *testing.T) {
	t.Parallel()
	const canary = "canary-in-a-coal-mine"
	for _, test := range []struct {
		level  tool.AuditLevel
		script string
		want   bool // the canary stands on record
		stdout string
	}{
		{tool.AuditMetadata, `echo {{word}}; exit 3`, false, ""},
		{tool.AuditMetadata, `cat {{word}}`, false, ""},
		{"", `echo {{word}}`, true, ""},
		{tool.AuditParams, `echo {{word}}`, true, ""},
		{tool.AuditFull, `echo {{word}}`, true, canary + "\n"},
	} {
		h := newHouse(t, rule(permissions.Approve))
		work := script(test.script)
		work.Audit = test.level
		h.has(work)
		result := h.execute(t.Context(), `{"word":"`+canary+`"}`)
		if got := strings.Contains(h.onRecord(), canary); got != test.want {
			t.Errorf("%s: on record %v, want %v: %s", test.level, got, test.want, h.onRecord())
		}
		ended := h.of(events.ToolEnded)[0]
		if ended.Outcome.Stdout != test.stdout || *ended.Outcome.ExitCode != result.ExitCode || ended.Act.Tool != "work" {
			t.Errorf("%s: %+v", test.level, ended.Outcome)
		}
		if h.of(events.ToolDecided)[0].Decision.Rule != "house-rule" {
			t.Errorf("%s: who decided is not on record", test.level)
		}
		refused := h.execute(t.Context(), `{"word":["`+canary+`"]}`)
		if refused.Error == nil || test.level == tool.AuditMetadata && strings.Contains(h.onRecord(), canary) {
			t.Errorf("%s: arguments that do not fit: %s", test.level, h.onRecord())
		}
	}
}

// TestAuditFull keeps the whole of what is too long for the record, without what the call was given.
func TestAuditFull(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	store := &blob.Store{Dir: t.TempDir()}
	h.executor.blobs = store
	h.vault = vault{"key": apiKey}
	work := referring(`echo "$API_KEY"; head -c 20000 /dev/zero | tr '\0' x; printf 'a\0b' >&2`)
	work.Audit = tool.AuditFull
	h.has(work)
	h.execute(t.Context(), `{}`)
	ended := h.of(events.ToolEnded)[0].Outcome
	if !strings.HasPrefix(ended.Stdout, "[secret]\nxxx") || len(ended.Stdout) > events.Longest+200 ||
		!strings.Contains(ended.Stdout, "[20009 bytes, sha256 ") || !strings.HasPrefix(ended.Stderr, "[binary data, not shown: ") {
		t.Errorf("stdout %.100q… %q, stderr %q", ended.Stdout, ended.Stdout[len(ended.Stdout)-100:], ended.Stderr)
	}
	blobs, _ := ended.Diagnostics[tool.BlobsKey].(map[string]blob.Blob)
	if blobs["stdout"].Bytes != 20009 || blobs["stderr"].Bytes != 3 {
		t.Errorf("kept: %+v", ended.Diagnostics)
	}
}

// TestDegrades has tools that change nothing run where nothing can be recorded, if that is wanted, and no others; what
// became of them is recorded when it can be.
func TestDegrades(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	yes, no := true, false
	for _, test := range []struct {
		name     string
		degrades bool
		change   func(*tool.Tool)
		runs     bool
	}{
		{"one that changes nothing", true, func(*tool.Tool) {}, true},
		{"where that is not wanted", false, func(*tool.Tool) {}, false},
		{"one that does not say so", true, func(w *tool.Tool) { w.Annotations.ReadOnly = nil }, false},
		{"one that says otherwise", true, func(w *tool.Tool) { w.Annotations.ReadOnly = &no }, false},
		{"one that reaches others", true, func(w *tool.Tool) { w.Annotations.OpenWorld = &yes }, false},
		{"one with a network", true, func(w *tool.Tool) { w.Sandbox.Network = tool.NetworkOn }, false},
		{"one with a socket", true, func(w *tool.Tool) { w.Sandbox.Sockets = []string{"/run/x"} }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, rule(permissions.Approve))
			h.executor.degrades = test.degrades
			work := script(`echo looked`)
			work.Annotations.ReadOnly, work.Sandbox.Network = &yes, tool.NetworkOff
			test.change(work)
			h.has(work)
			late := &laterLedger{ledger: ledger{h}}
			h.executor.record = late
			for _, kind := range []events.Type{events.ToolDecided, events.ToolStarted, events.ToolEnded} {
				h.refuses[kind] = full
			}
			result := h.execute(t.Context(), `{}`)
			if h.count("run") > 0 != test.runs || (result.Error == nil) != test.runs {
				t.Fatalf("ran %d times: %+v", h.count("run"), result.Error)
			}
			var kept []string
			for _, e := range late.late {
				kept = append(kept, string(e.Type))
			}
			if got := strings.Join(kept, " "); test.runs && got != "tool.started tool.ended" {
				t.Errorf("kept for later: %s", got)
			}
			if told := result.Metadata.Diagnostics["record"]; test.runs && told != full.Error() {
				t.Errorf("the result says %v of its record", told)
			}
		})
	}
}

// laterLedger keeps what could not be recorded.
type laterLedger struct {
	ledger
	late []events.Event
}

func (l *laterLedger) Later(e events.Event) { l.late = append(l.late, e) }
