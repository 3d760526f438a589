//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestManyCalls runs calls of all kinds, sixteen at a time, among garbage collections and other starts, and
// counts what is left.
func TestManyCalls(t *testing.T) {
	alone(t, func(t *testing.T) {
		temp, work := t.TempDir(), t.TempDir()
		host, err := Open(Options{TempDir: temp, Grace: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		one(t, host, work, 5) // what is opened once
		before := descriptors(t, host)
		var next atomic.Int64
		var calls sync.WaitGroup
		for range 16 {
			calls.Go(func() {
				for i := next.Add(1); i <= int64(stress(200)); i = next.Add(1) {
					switch i % 8 {
					case 1:
						runtime.GC()
					case 3:
						if out, err := exec.Command("/bin/echo", "x").Output(); err != nil || string(out) != "x\n" {
							t.Errorf("another start: %q, %v", out, err)
						}
					case 5:
						_ = make([]byte, 1<<20)
					}
					one(t, host, work, int(i))
				}
			})
		}
		calls.Wait()
		if after := descriptors(t, host); after != before {
			t.Errorf("open are\n%s\nand were before\n%s", after, before)
		}
		if left := ownChildren(t); len(left) > 0 {
			t.Errorf("children of ours are left: %v", left)
		}
		if left := names(t, work); len(left) > 0 {
			t.Errorf("directories are left: %q", left)
		}
		if left := names(t, host.scratch.path); len(left) > mostSpares+3 { // and the record of work, and what is shown empty
			t.Errorf("temporary directories are left: %q", left)
		}
		if err := host.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if left := names(t, tempPlace(temp)); len(left) > 0 {
			t.Errorf("Close left %q", left)
		}
	})
}

// one makes one call and checks what comes of it. Most are short; some leave daemons, time out, flood, or
// do not start. environment is a variable of the call's and its value, if any.
func one(t *testing.T, host *Host, work string, i int, environment ...string) {
	limits := tool.DefaultLimits()
	limits.Output = 64 << 10
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := script{dir: work, isolate: i%2 == 0, limits: limits, allowed: []tool.AllowedPath{{Path: work}}}
	if len(environment) == 2 {
		s.env = map[string]string{environment[0]: environment[1]}
	}
	var check func(Outcome, error) bool
	switch i % 10 {
	case 0:
		s.text = "setsid sleep 1000 & sleep 1000 & exit 2"
		check = func(o Outcome, err error) bool { return o.ExitCode == 2 && err == nil }
	case 1:
		s.text, s.limits.Timeout = "sleep 1000", 10*time.Millisecond
		check = func(o Outcome, err error) bool { return o.TimedOut && err == nil }
	case 2:
		s.text = "yes"
		check = func(o Outcome, err error) bool { return o.Truncated && len(o.Stdout) == 64<<10 && err == nil }
	case 3:
		s.argv = []string{"/no/such/program"}
		check = func(_ Outcome, err error) bool {
			var start *StartError
			return errors.As(err, &start)
		}
	case 4:
		s.text = "sleep 1000"
		go cancel()
		check = func(o Outcome, err error) bool { return o.Cancelled && err == nil }
	default:
		s.text = fmt.Sprintf("read -r line <&3; echo $line %d; touch x%d $HOME/x; rm x%d", i, i, i)
		want := fmt.Sprintf("values %d\n", i)
		check = func(o Outcome, err error) bool { return string(o.Stdout) == want && o.ExitCode == 0 && err == nil }
	}
	if o, err := s.try(ctx, t, host); !check(o, err) {
		o.Stdout = o.Stdout[:min(len(o.Stdout), 100)]
		t.Errorf("call %d: %+v, %v", i, o, err)
	}
}

// descriptors lists what this process has open, when the mounts of calls that are over have been taken apart.
// What eachListed and markOf open for a moment is not in it: the census of the last call may be under way.
func descriptors(t *testing.T, host *Host) string {
	t.Helper()
	host.mounts.pending.Wait()
	host.rulesets.making.Wait()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, entry := range list {
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err != nil { // the list's own
			continue
		}
		if target == "/proc" || strings.HasPrefix(target, "/proc/") && strings.HasSuffix(target, "/limits") {
			continue
		}
		open = append(open, strings.TrimRight(target, "0123456789]")) // a pipe or socket without its number
	}
	slices.Sort(open)
	return strings.Join(open, "\n")
}
