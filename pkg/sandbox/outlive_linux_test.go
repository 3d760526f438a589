//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ways are the ways in which a process tries to outlive its call. The shell goes on to do what the test
// says when it has tried: the process itself says so, on a pipe. What starts others without end does so a
// hundred thousand times at most, in case that it is this test's subject that fails.
var ways = []struct {
	name, text string
}{
	{"background", `sleep 1000 &`},
	{"holds stdout", `(sleep 1000; echo never) &`},
	{"nohup", `nohup sleep 1000 >/dev/null 2>&1 &`},
	{"setsid", `read -r < <(setsid bash -c 'echo up; exec sleep 1000')`},
	{"double fork, setsid, deaf", `read -r < <(setsid bash -c 'trap "" TERM HUP INT; (sleep 1000 & echo up; wait) & wait' &)`},
	{"process groups of their own", `set -m; sleep 1000 & sleep 1000 &`},
	{"deep", `deep() { if (( $1 )); then (deep $(( $1 - 1 )); sleep 1000) & sleep 1000; else echo up; sleep 1000; fi; }; read -r < <(deep 12)`},
	{"stopped", `sleep 1000 & kill -STOP $!`},
	{"hops from process to process", `hop() { (( ++n == 9 )) && echo up; (( n < 100000 )) && (hop) & }; read -r < <(n=0; hop)`},
	{"hops, ten at a time, with sessions", hops + `read -r < <(for i in {1..9}; do N=100000 bash -c "$HOP" >/dev/null & done; N=99999 bash -c "$HOP")`},
	{"lowers its mark", `read -r < <(ulimit -x 5; (setsid sleep 1000 &); echo up; sleep 1000)`},
	{"lowers its mark to nothing", `read -r < <(ulimit -x 0; setsid sleep 1000 & echo up; sleep 1000)`},
	{"lowers its mark and hops", `hop() { (( ++n == 9 )) && echo up; (( n < 100000 )) && (hop) & }; read -r < <(ulimit -x 5; n=0; hop)`},
	{"drops its environment", `read -r < <(env -i setsid bash -c 'echo up; exec sleep 1000')`},
}

// hops has each process start the next one in a session of its own, and end. N is how many more there will
// be.
const hops = `export HOP='export N=$(( N - 1 )); (( N == 99990 )) && echo up; if (( N > 0 )); then setsid bash -c "$HOP" & fi'; `

// TestNothingOutlivesACall is the promise of this package: however a call ends and whatever it tried,
// nothing of it is left.
func TestNothingOutlivesACall(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		t.Run("marks", func(t *testing.T) { nothingOutlives(t, openHost(t)) })
		t.Run("namespaces", func(t *testing.T) { nothingOutlives(t, openFull(t)) })
	})
}

func nothingOutlives(t *testing.T, host *Host) {
	spaces := host.Level().hasNamespaces()
	for i, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			for j, end := range []struct {
				name  string
				after string
				check func(*testing.T, Outcome)
			}{
				{"exit", "exit 3", func(t *testing.T, o Outcome) {
					if o.ExitCode != 3 || (o.Killed == 0) != spaces {
						t.Errorf("got code %d, %d killed; want 3, and some unless it was the kernel that ended them", o.ExitCode, o.Killed)
					}
				}},
				{"killed", "kill -KILL $$", func(t *testing.T, o Outcome) {
					if o.ExitCode != 137 || o.Signal != "SIGKILL" || (o.Killed == 0) != spaces {
						t.Errorf("got code %d, signal %s, %d killed; want 137, SIGKILL, and some unless it was the kernel that ended them", o.ExitCode, o.Signal, o.Killed)
					}
				}},
				{"cancel", "echo cancel me; sleep 1000", func(t *testing.T, o Outcome) {
					if !o.Cancelled || o.TimedOut {
						t.Errorf("got cancelled %t, timed out %t; want the first only", o.Cancelled, o.TimedOut)
					}
				}},
				{"cancel, deaf", "trap '' TERM; echo cancel me; while :; do sleep 1000; done", func(t *testing.T, o Outcome) {
					if !o.Cancelled || o.Signal != "SIGKILL" {
						t.Errorf("got cancelled %t, signal %s; want true, SIGKILL", o.Cancelled, o.Signal)
					}
				}},
				{"too much output", "yes", func(t *testing.T, o Outcome) {
					if !slices.Equal(o.LimitsHit, []string{"output"}) || spaces && o.Killed == 0 {
						t.Errorf("got limits hit %q, %d killed; want output, some", o.LimitsHit, o.Killed)
					}
				}},
			} {
				if testing.Short() && (i+2*j)%9 > 0 {
					continue
				}
				t.Run(end.name, func(t *testing.T) {
					name, value := marker()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					s := script{text: way.text + "\n" + end.after, env: map[string]string{name: value}}
					s.limits = tool.DefaultLimits()
					s.limits.Output = 64 << 10
					s.stdout = lineWriter(func(line string) {
						if line == "cancel me" {
							cancel()
						}
					})
					outcome := s.run(ctx, t, host)
					end.check(t, outcome)
					if left := survivors(t, name, value); len(left) > 0 {
						t.Errorf("still there: %q", left)
					}
					if left := ownChildren(t); len(left) > 0 {
						t.Errorf("children of ours are left: %v", left)
					}
				})
			}
		})
	}
}

// lineWriter calls a function for each line that is written, however it is cut.
func lineWriter(each func(line string)) *lines { return &lines{each: each} }

type lines struct {
	each func(string)
	rest []byte
}

func (l *lines) Write(data []byte) (int, error) {
	l.rest = append(l.rest, data...)
	for {
		line, after, ok := bytes.Cut(l.rest, []byte{'\n'})
		if !ok {
			return len(data), nil
		}
		l.rest = after
		l.each(string(line))
	}
}
