package replay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// written is an act as the bridge and the executor put it on record.
func written(r permissions.Request, source permissions.Source, result string) events.Event {
	act := &events.Act{
		Kind: string(r.Action), Tool: r.Tools[0], Tools: r.Tools[1:], Arguments: events.Arguments(r.Arguments, r.Secret, nil), Shell: events.Text(r.ShellText),
		Argv: r.Argv, Dir: r.Dir, Workspace: r.Workspace.Dirs(), Env: r.Env, Mode: r.Mode, Headless: r.Headless, Confined: r.Confined, Doubts: r.Doubts,
		ReadOnly: r.ReadOnly, Destructive: r.Destructive, Confirm: r.RequiresConfirmation, Claimed: r.Prompt,
	}
	for _, p := range r.Paths {
		act.Paths = append(act.Paths, p.Name)
	}
	return events.Event{
		Type: events.ToolDecided, Time: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Session: r.Session, Agent: r.Agent, Door: string(r.Door), Act: act,
		Principal: tool.Origin{Principal: r.Principal, Served: r.Served}.Recorded(),
		Decision:  &events.Decision{DecisionSummary: tool.DecisionSummary{Result: result, Source: string(source)}},
	}
}

// readBack puts events on record and reads them.
func readBack(t *testing.T, list ...events.Event) []audit.Entry {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "audit")
	log, err := audit.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range list {
		if err := log.Record(t.Context(), event); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := audit.List(dir, audit.Filter{Types: []events.Type{events.ToolDecided}})
	if err != nil || len(entries) != len(list) {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	return entries
}

const replayRules = `version: 2
auto_approval_policies:
  - {id: docs, applies_to: ["functions.acp_fs__*"], include_paths: ["docs/**"], decision: {type: approve}}
  - {id: git, applies_to: [functions.shell], commands: {allow: [git status, git log]}, decision: {type: approve}}
  - {id: args, applies_to: [x], parameters: {n: {max: 3}}, decision: {type: approve}}
  - {id: prod, applies_to: ["*"], when: "'PROD' in call.env", decision: {type: reject}}
  - {id: boxed, applies_to: [w], requires: [confined], decision: {type: approve}}
  - {id: plan, applies_to: [y], mode: [plan], decision: {type: reject}}
  - {id: codex, applies_to: [y], agents: [codex], decision: {type: approve}}
  - {id: ci, applies_to: [deploy], principals: [ci], decision: {type: approve}}
  - {id: web, applies_to: [deploy], principals: [web], decision: {type: reject}}
  - {id: never, applies_to: [z], parameters: {token: {regex: "x.*"}}, decision: {type: reject}}
`

func testJudge(t *testing.T, rules string) *Judge {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := New(Options{Sources: config.Sources{Policies: []string{file}, Dir: filepath.Dir(file)}, Own: func(w tool.Workspace) config.Sources { return config.Sources{Workspace: w} }})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// What is read back from the record is decided as the act itself is.
func TestRecordedActsAreDecidedTheSame(t *testing.T) {
	t.Parallel()
	w := tool.Workspace{Root: t.TempDir()}
	j := testJudge(t, replayRules)
	var requests []permissions.Request
	var list []events.Event
	for _, e := range []permissions.Example{
		{Tool: permissions.ToolWrite, Paths: []string{"docs/a.md"}}, {Tool: permissions.ToolWrite, Paths: []string{"docs/../src/a"}},
		{Tool: permissions.ToolWrite, Paths: []string{"docs/.envrc"}}, {Command: "git status; git log -1"}, {Command: "git status; rm x"},
		{Argv: []string{"git", "log", "a b"}}, {Argv: []string{"git status; ls"}}, {Command: "git log", Env: []string{"GIT_PAGER"}},
		{Command: "git log", Env: []string{"PROD"}}, {Command: "git log", Dir: "/"}, {Tool: "x", Arguments: map[string]any{"n": json.Number("3.0")}},
		{Tool: "x", Arguments: map[string]any{"n": json.Number("4")}}, {Tool: "y", Agent: "codex"}, {Tool: "y", Agent: "codex", Mode: "plan"},
		{Tool: "deploy", Principal: "ci"}, {Tool: "deploy", Principal: "web"}, {Tool: "deploy"},
		{Tool: "y", Headless: true}, {Tool: "w", Confined: true}, {Tool: permissions.ToolRead, Paths: []string{"../x"}}, {Tool: "q", ReadOnly: true}, {Tool: "mcp__s__t"},
	} {
		requests = append(requests, e.Request(w, nil))
	}
	doubtful := requests[0]
	doubtful.Doubts = []string{"its title names another file"}
	asked := permissions.Example{Tool: "q"}.Request(w, nil)
	asked.RequiresConfirmation, asked.Destructive, asked.Prompt = true, true, true
	requests = append(requests, doubtful, asked)
	verdicts := map[permissions.Verdict]int{}
	for _, r := range requests {
		list = append(list, written(r, permissions.SourceDefault, "ask"))
	}
	for i, e := range readBack(t, list...) {
		act, ok := ReadBack(e, nil)
		if !ok || act.Untold != "" {
			t.Errorf("act %d: %t, %q", i, ok, act.Untold)
			continue
		}
		want := j.Authority.Decide(requests[i])
		got, untold := j.Decide(act)
		verdicts[want.Verdict]++
		if got.Verdict != want.Verdict || got.Source != want.Source || got.Rule != want.Rule || untold != "" {
			t.Errorf("act %d (%+v): %s %s %s %q, want %s %s %s", i, e.Act, got.Verdict, got.Source, got.Rule, untold, want.Verdict, want.Source, want.Rule)
		}
	}
	if verdicts[permissions.Approve] < 5 || verdicts[permissions.Reject] < 3 || verdicts[permissions.Ask] < 5 {
		t.Errorf("the acts prove little: %v", verdicts)
	}
}

// What the record does not hold is said, and only where the decision needs it.
func TestUntold(t *testing.T) {
	t.Parallel()
	w := tool.Workspace{Root: t.TempDir()}
	j := testJudge(t, replayRules)
	call := func(id string, arguments map[string]any) permissions.Request {
		r := permissions.Example{Tool: id, Arguments: arguments}.Request(w, nil)
		r.Secret = map[string]bool{"token": true}
		return r
	}
	long := strings.Repeat("x", 5000)
	masked := permissions.Example{Command: "curl -H [secret] x"}.Request(w, nil)
	bare := written(call("q", nil), permissions.SourceDefault, "ask")
	bare.Act.Dir = ""
	for _, test := range []struct {
		name  string
		event events.Event
		want  string // in the reason; "" when it can be told
	}{
		{"a secret that a rule needs", written(call("z", map[string]any{"token": "x1"}), permissions.SourceDefault, "ask"), "never: the value of the argument token is not on record"},
		{"a secret that no rule needs", written(call("x", map[string]any{"token": "x1", "n": json.Number("1")}), permissions.SourceDefault, "ask"), ""},
		{"a long text that a rule needs", written(call("z", map[string]any{"token": []any{long}}), permissions.SourceDefault, "ask"), "not on record"},
		{"a long text that no rule needs", written(call("q", map[string]any{"text": long}), permissions.SourceDefault, "ask"), ""},
		{"a long command", written(permissions.Example{Command: "echo " + long}.Request(w, nil), permissions.SourceDefault, "ask"), "the whole command"},
		{"a command with a secret", written(masked, permissions.SourceDefault, "ask"), "the whole command"},
		{"a secret path", written(permissions.Example{Tool: "q", Paths: []string{"a/[secret]"}}.Request(w, nil), permissions.SourceDefault, "ask"), "a path"},
		{"an earlier version", bare, "earlier version"},
		{"too long for a line", written(call("q", map[string]any{"list": manyTexts()}), permissions.SourceDefault, "ask"), "only a part"},
	} {
		act, ok := ReadBack(readBack(t, test.event)[0], nil)
		if !ok {
			t.Errorf("%s: it is no act", test.name)
			continue
		}
		if _, untold := j.Decide(act); (untold == "") != (test.want == "") || !strings.Contains(untold, test.want) {
			t.Errorf("%s: %q, want %q", test.name, untold, test.want)
		}
	}
}

func manyTexts() []any {
	list := make([]any, 400)
	for i := range list {
		list[i] = strings.Repeat("y", 4000)
	}
	return list
}

// Where a person was asked the rules had said ask; what no rule had a part in is left out.
func TestBefore(t *testing.T) {
	t.Parallel()
	r := permissions.Example{Tool: "q"}.Request(tool.Workspace{Root: t.TempDir()}, nil)
	claimed := r
	claimed.Prompt = true
	for _, test := range []struct {
		request permissions.Request
		source  permissions.Source
		result  string
		want    permissions.Verdict
		counts  bool
	}{
		{r, permissions.SourcePolicy, "approve", permissions.Approve, true}, {r, permissions.SourcePolicy, "reject", permissions.Reject, true},
		{r, permissions.SourcePerson, "approve", permissions.Ask, true}, {r, permissions.SourcePerson, "reject", permissions.Ask, true},
		{r, permissions.SourceNobody, "reject", permissions.Ask, true}, {r, permissions.SourceSession, "approve", permissions.Ask, true},
		{r, permissions.SourceCaller, "approve", permissions.Approve, true}, {r, permissions.SourceAct, "approve", 0, false},
		{r, permissions.SourceFault, "reject", 0, false}, {claimed, permissions.SourceTool, "approve", 0, false}, {r, permissions.SourceTool, "ask", permissions.Ask, true},
	} {
		act, ok := ReadBack(readBack(t, written(test.request, test.source, test.result))[0], nil)
		if ok != test.counts || ok && act.Before != test.want {
			t.Errorf("%s %s: %s, %t", test.source, test.result, act.Before, ok)
		}
	}
}

// Acts come out in their order, however many are decided at a time, and a limit counts them one after the
// other.
func TestReplayKeepsTheOrder(t *testing.T) {
	t.Parallel()
	w := tool.Workspace{Root: t.TempDir()}
	var list []events.Event
	for range 30 {
		list = append(list, written(permissions.Example{Tool: permissions.ToolWrite, Paths: []string{"docs/a.md"}}.Request(w, nil), permissions.SourcePerson, "approve"))
	}
	entries := readBack(t, list...)
	limited := strings.Replace(replayRules, `include_paths: ["docs/**"],`, `include_paths: ["docs/**"], limit: {count: 7, per: 1h},`, 1)
	for rules, want := range map[string]int{replayRules: 1500, limited: 7} {
		var seqs []int64
		approved := 0
		err := testJudge(t, rules).Replay(func(each func(Recorded)) error {
			for range 50 {
				for _, e := range entries {
					act, _ := ReadBack(e, nil)
					each(act)
				}
			}
			return nil
		}, func(act Redecided) {
			seqs = append(seqs, act.Entry.Seq)
			if act.Decision.Verdict == permissions.Approve {
				approved++
			}
		})
		if err != nil || approved != want || len(seqs) != 1500 {
			t.Errorf("%d of %d were approved, want %d; %v", approved, len(seqs), want, err)
		}
		for i, seq := range seqs {
			if seq != entries[i%30].Seq {
				t.Fatalf("act %d has number %d", i, seq)
			}
		}
	}
}
