package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The test binary plays the roles that bench plays, and that of a bridge: one that works, or one that does
// not.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-role" {
		if err := run(os.Args[1:], os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		row   row
		ratio float64 // 0 is none
		met   bool
	}{
		{"time within its ratio", comparedRow("a", "ms", "byte copy", 1.5).measured(3, 2, ""), 1.5, true},
		{"time above it", comparedRow("a", "ms", "byte copy", 1.5).measured(3.1, 2, ""), 1.55, false},
		{"throughput within its ratio", comparedRow("a", rate, "byte copy", 0.6).measured(60, 100, ""), 0.6, true},
		{"throughput below it", comparedRow("a", rate, "byte copy", 0.6).measured(50, 100, ""), 0.5, false},
		{"calls a second above their ratio", comparedRow("a", callRate, "bare bash", 0.7).measured(80, 100, ""), 0.8, true},
		{"value within its limit", within("a", "ms", 50).measured(25, 0, ""), 0.5, true},
		{"value above it", within("a", "ms", 50).measured(75, 0, ""), 1.5, false},
		{"a ratio without a goal", comparedRow("a", rate, "byte copy", 0).measured(25, 100, ""), 0.25, true},
		{"no goal", row{Name: "a"}.measured(75, 0, ""), 0, true},
		{"no value", within("a", "ms", 50).unmeasured(errors.New("no bridge")), 0, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ratio := 0.0
			if row.row.Ratio != nil {
				ratio = *row.row.Ratio
			}
			if ratio != row.ratio || row.row.Met != row.met {
				t.Errorf("got ratio %v, met %v; want %v, %v", ratio, row.row.Met, row.ratio, row.met)
			}
		})
	}
}

func TestTableAndJSON(t *testing.T) {
	t.Parallel()
	rows := []row{
		comparedRow("relay", "ms", "byte copy", 1.5).measured(3, 2, "10 each"),
		within("start", "ms", 50).measured(123.4, 0, "5 starts"),
		row{Name: "supervisor", Unit: "MB"}.measured(2.5, 0, "5 processes"),
		within("memory", "MB", 30).unmeasured(errors.New("no bridge")),
	}
	var got bytes.Buffer
	if err := table(&got, rows); err != nil {
		t.Fatal(err)
	}
	const want = `
WHAT        MEDIAN  UNIT  FLOOR  RATIO  GOAL     MET  SAMPLES
relay       3       ms    2      1.50   ≤ 1.5 ×  yes  10 each
start       123     ms    -      -      ≤ 50     NO   5 starts
supervisor  2.5     MB    -      -      -        -    5 processes
memory      -       MB    -      -      ≤ 30     NO   no bridge
`
	if diff := cmp.Diff(want, "\n"+got.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	data, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	const wantJSON = `[{"name":"relay","value":3,"unit":"ms","against":"byte copy","ratio":1.5,"goal":1.5,"met":true},` +
		`{"name":"start","value":123.4,"unit":"ms","against":"limit","ratio":2.468,"goal":50,"met":false},` +
		`{"name":"supervisor","value":2.5,"unit":"MB","against":"","ratio":null,"goal":null,"met":true},` +
		`{"name":"memory","value":null,"unit":"MB","against":"limit","ratio":null,"goal":30,"met":false,"reason":"no bridge"}]`
	if diff := cmp.Diff(wantJSON, string(data)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	if got := median([]float64{9, 1, 2}); got != 2 {
		t.Errorf("of three: got %v, want 2", got)
	}
	if got := median([]float64{9, 1, 2, 4}); got != 3 {
		t.Errorf("of four: got %v, want 3", got)
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for _, size := range []int{100, 10_000, 1_000_000} {
		ask := request(100_000_000, size)
		for name, frame := range map[string][]byte{"request": ask, "notification": notification(size), "answer": answer(bytes.Clone(ask))} {
			if len(frame) != size || !json.Valid(frame) || bytes.IndexByte(frame, '\n') != size-1 {
				t.Errorf("the %s of %d bytes is no frame of that size: %.120q", name, size, frame)
			}
		}
	}
	got := string(answer([]byte(`{"jsonrpc":"2.0","id":7,"method":"_bench/echo","params":{"text":""}}` + "\n")))
	var response struct {
		ID     int
		Method *string
		Result *struct{ Text string }
	}
	if err := json.Unmarshal([]byte(got), &response); err != nil || response.ID != 7 || response.Method != nil || response.Result == nil {
		t.Errorf("the answer is no response: %s %v", got, err)
	}
	const other = `{"jsonrpc":"2.0","method":"_bench/echo","params":{"id":1}}` + "\n"
	if got := string(answer([]byte(other))); got != other {
		t.Errorf("a notification comes back as %s", got)
	}
}

// The floor and its agent, as they run beside the bridge.
func TestFloor(t *testing.T) {
	t.Parallel()
	p, err := floorIn(t).start()
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	for i := range 3 {
		if _, err := p.roundTrip(request(100_000_000+i, 200_000)); err != nil {
			t.Fatal(p.because(err))
		}
		if _, err := p.burst(notification(10_000), 50); err != nil {
			t.Fatal(p.because(err))
		}
	}
}

// floorIn starts the floor in a directory of the test's.
func floorIn(t *testing.T) launcher {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return launcher{dir: t.TempDir(), argv: []string{self, "-role", "copy", "--", self, "-role", "agent"}, patience: patience}
}

// Whatever relays is measured.
func TestRelayRows(t *testing.T) {
	t.Parallel()
	size := frameSize{name: "2 KB", bytes: 2000, trips: 2, burst: 5}
	bouncing := launcher{dir: t.TempDir(), argv: []string{"cat"}, patience: patience}
	// sed -u is a relay and an agent that answers, a little slow.
	answering := launcher{dir: t.TempDir(), argv: []string{"sed", "-u", `s|"method":"_bench/echo","params":|"result":                       |`}, patience: patience}
	for _, r := range []row{roundTrips(answering, answering, size), throughput(bouncing, bouncing, size)} {
		if r.Value == nil || *r.Value <= 0 || r.Ratio == nil || *r.Ratio <= 0 {
			t.Errorf("%s: %s", r.Name, r.Reason)
		}
	}
}

// A bridge that is missing or fails gives rows that say so.
func TestFailuresAreRows(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		name   string
		bridge []string
		reason string // a part of it
	}{
		{"no such program", []string{filepath.Join(t.TempDir(), "a2a-acp")}, "no such file or directory"},
		{"it ends at once", []string{self, "-role", "clown"}, "-role clown: there is agent, hooked, copy, sandbox, calls, webhooks, verify, a2a, a2a-go, chunking, answer, mcp and mcp-sdk"},
		{"it ends at once and says nothing", []string{"true"}, "true: "},
		{"it never answers", []string{"sh", "-c", "cat >/dev/null"}, "i/o timeout"},
		{"it garbles frames", []string{"sed", "-u", "s/bench/BENCH/"}, "want "},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			floor := launcher{dir: t.TempDir(), argv: []string{"cat"}, patience: patience}
			bridge := launcher{dir: floor.dir, argv: row.bridge, patience: patience}
			if row.reason == "i/o timeout" {
				bridge.patience = 100 * time.Millisecond
			}
			size := frameSize{name: "2 KB", bytes: 2000, trips: 2, burst: 2}
			got := append(idleMemory(bridge), throughput(bridge, floor, size), firstFrame(bridge))
			for _, r := range got {
				if r.Value != nil || r.Met || !strings.Contains(r.Reason, row.reason) {
					t.Errorf("%s: value %v, met %v, reason %q; want none, false, and a reason with %q", r.Name, r.Value, r.Met, r.Reason, row.reason)
				}
			}
		})
	}
}

func TestToolCallRow(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("echo hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := 0
	r := toolCallRow(func() error { calls++; return bash(script) }, script)
	if r.Value == nil || *r.Value <= 0 || calls != toolCalls+1 {
		t.Errorf("%d calls, value %v: %s", calls, r.Value, r.Reason)
	}
	r = toolCallRow(func() error { return errors.New("denied") }, script)
	if r.Met || r.Reason != "denied" {
		t.Errorf("a call that failed: met %v, reason %q", r.Met, r.Reason)
	}
}

func TestTemplateRows(t *testing.T) {
	t.Parallel()
	rows := templates()
	for _, r := range rows {
		if r.Value == nil || *r.Value <= 0 || r.Goal == nil || r.Reason != "" {
			t.Errorf("%s: %+v", r.Name, r)
		}
	}
	if len(rows) != 4 || len(webCalls()) != 8 {
		t.Errorf("%d rows of %d shapes", len(rows), len(webCalls()))
	}
}

// TestHookedAgent has the agent of the hook rows do its calls, told of no hooks, and of such as say no.
func TestHookedAgent(t *testing.T) {
	t.Parallel()
	play := func(meta string) (string, error) {
		var out strings.Builder
		err := hookedAgent(strings.NewReader(`{"id":0,"method":"session/new","params":{"_meta":`+meta+`}}
{"id":1,"method":"session/prompt"}
`), &out)
		return out.String(), err
	}
	told, err := play("{}")
	if err != nil || strings.Count(told, `"status":"completed"`) != hookCalls {
		t.Errorf("%v: %s", err, told)
	}
	_, err = play(`{"claudeCode":{"options":{"settings":{"hooks":{"PreToolUse":[{"hooks":[{"command":"echo","args":["\"deny\""]}]}]}}}}}`)
	if err == nil || !strings.Contains(err.Error(), "the hook said") {
		t.Errorf("got %v", err)
	}
}
