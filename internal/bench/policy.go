package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/replay"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	decisions    = 4000  // that are timed, for each number of rules
	recorded     = 20000 // acts of the record that is decided again
	replayRules  = 20
	leastReplays = 10_000 // calls a second
)

// ruleCounts are how many rules there are, with the decisions a second and the slowest of a hundred, in
// milliseconds, that are fine then.
var ruleCounts = []struct {
	rules int
	rate  float64
	p99   float64
}{{10, 5000, 1}, {100, 2000, 2}, {1000, 300, 10}}

// policies takes the rows of decisions and of replay.
func policies(dir string) []row {
	var rows []row
	for _, c := range ruleCounts {
		rate := within(fmt.Sprintf("policy: decisions with %d rules", c.rules), callRate, c.rate)
		tail := within(fmt.Sprintf("policy: slowest decision of a hundred, %d rules", c.rules), "ms", c.p99)
		rows = append(rows, decide(dir, c.rules, rate, tail)...)
	}
	return append(rows, replayRow(dir))
}

// policyFile writes rules of every kind, none of which is about all acts, so that each of them is looked at.
func policyFile(n int) []byte {
	out := "version: 2\nauto_approval_policies:\n"
	for i := range n {
		out += fmt.Sprintf("  - id: rule-%d\n", i)
		switch i % 5 {
		case 0:
			out += fmt.Sprintf("    applies_to: [\"functions.acp_fs__*\"]\n    include_paths: [\"docs/part%d/**\", \"**/*.md%d\"]\n", i, i)
		case 1:
			out += fmt.Sprintf("    applies_to: [functions.shell]\n    commands: {allow: [git status, \"tool%d run\", ls]}\n", i)
		case 2:
			out += fmt.Sprintf("    applies_to: [\"tool_%d\", web_*]\n    parameters: {method: {in: [GET, HEAD]}, "+
				"url: {host: [\"h%d.example.com\"]}}\n", i, i)
		case 3:
			out += fmt.Sprintf("    applies_to: [\"*\"]\n    agents: [\"agent%d*\"]\n    risk: {max: medium}\n", i)
		case 4:
			out += fmt.Sprintf("    applies_to: [\"other_%d\"]\n    exclude_paths: [\"secret/**\"]\n", i)
			if i%20 == 4 && i < 1000 {
				out += fmt.Sprintf("    when: \"size(call.paths) < %d && call.tool != 'x'\"\n", i)
			}
		}
		out += "    decision: {type: approve}\n"
	}
	return []byte(out)
}

// policyActs are acts of every kind, in a workspace.
func policyActs(dir string) []permissions.Request {
	w := tool.Workspace{Root: dir}
	var acts []permissions.Request
	for _, e := range []permissions.Example{
		{Command: "git status && ls src | head -3"},
		{Tool: permissions.ToolWrite, Paths: []string{"docs/part5/a.md"}},
		{Tool: permissions.ToolRead, Paths: []string{"src/a.go"}}, {Command: "rm -rf build"},
		{Tool: "web_request", Arguments: map[string]any{"method": "GET", "url": "https://h7.example.com/x",
			"timeout": json.Number("3")}},
	} {
		acts = append(acts, e.Request(w, nil))
	}
	return acts
}

func decide(dir string, n int, rate, tail row) []row {
	file, err := config.ReadPolicies(config.File{Name: "bench.yaml", Layer: tool.LayerUser, Data: policyFile(n)})
	if err != nil {
		return []row{rate.unmeasured(err), tail.unmeasured(err)}
	}
	authority := permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{file})})
	acts := policyActs(dir)
	var taken []float64
	began := time.Now()
	for i := range decisions {
		one := time.Now()
		authority.Decide(acts[i%len(acts)])
		taken = append(taken, float64(time.Since(one).Nanoseconds())/1e6)
	}
	each := float64(decisions) / time.Since(began).Seconds()
	slices.Sort(taken)
	note := fmt.Sprint(decisions)
	return []row{rate.measured(each, 0, note), tail.measured(taken[len(taken)*99/100], 0, note)}
}

// replayRow decides a whole record again.
func replayRow(dir string) row {
	r := within("policy: replay of the record", callRate, leastReplays)
	rate, err := replayed(dir)
	if err != nil {
		return r.unmeasured(err)
	}
	return r.measured(rate, 0, fmt.Sprint(recorded))
}

func replayed(dir string) (float64, error) {
	state, rules := filepath.Join(dir, "replay"), filepath.Join(dir, "replay.yaml")
	if err := os.WriteFile(rules, policyFile(replayRules), 0o600); err != nil {
		return 0, err
	}
	if err := record(state, policyActs(dir)); err != nil {
		return 0, err
	}
	began := time.Now()
	judge, err := app.NewJudge(app.Options{PolicyFiles: []string{rules}, Dir: dir,
		Getenv: func(string) string { return "" }}, true)
	if err != nil {
		return 0, err
	}
	told := 0
	err = judge.Replay(func(each func(replay.Recorded)) error {
		return audit.Read(state, func(e audit.Entry) error {
			if act, ok := replay.ReadBack(e, nil); ok {
				each(act)
			}
			return nil
		})
	}, func(act replay.Redecided) {
		if act.Untold == "" {
			told++
		}
	})
	if err == nil && told != recorded {
		err = fmt.Errorf("%d of %d acts were decided", told, recorded)
	}
	return recorded / time.Since(began).Seconds(), err
}

// record writes acts as the bridge and the executor do. Many write at once, so that they share their way to
// the disk.
func record(dir string, acts []permissions.Request) error {
	log, err := audit.Open(dir)
	if err != nil {
		return err
	}
	const writers = 64
	errs := make(chan error, writers)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := w; i < recorded; i += writers {
				r := acts[i%len(acts)]
				act := &events.Act{
					Kind: string(r.Action), Tool: r.Tools[0], Arguments: r.Arguments, Shell: r.ShellText,
					Dir: r.Dir, Workspace: r.Workspace.Dirs(),
				}
				for _, p := range r.Paths {
					act.Paths = append(act.Paths, p.Name)
				}
				event := events.Event{
					Type: events.ToolDecided, CallID: fmt.Sprintf("call-%d", i), Session: "s", Agent: "agent",
					Door: string(r.Door), Act: act,
					Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: "approve",
						Source: "policy", Rule: "rule-1", At: "a.yaml:3", Reason: "the tool and the paths match"}},
				}
				if err := log.Record(context.Background(), event); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	select {
	case err = <-errs:
	default:
	}
	if closed := log.Close(); err == nil {
		err = closed
	}
	return err
}
