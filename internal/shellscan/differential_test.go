package shellscan

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// standardRuns is how many scripts of each kind are run; A2A_FUZZ_RUNS asks for more.
const standardRuns = 120

// Whatever bash does with a random script, programs that it starts and files that it writes, the Script
// tells, or it has Problems.
func TestBashRunsNothingElse(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, kind := range []struct {
		name  string
		seed  uint64
		write func(w writer) string
	}{
		{"written", 1, func(w writer) string { return w.script(3) }},
		{"spoiled", 2, func(w writer) string { return w.spoiled(w.script(2)) }},
		{"soup", 3, func(w writer) string { return w.soup() }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var tried atomic.Int64
			runs := fuzzRuns(standardRuns)
			inParallel(runs, func(i int) {
				w := writer{Rand: rand.New(rand.NewPCG(kind.seed, uint64(i)))}
				script, s := certain(w, kind.write, &tried)
				if hidden := h.hidden(t, script, s); len(hidden) > 0 {
					t.Errorf("run %d: %q: bash %v, and the Script is %+v", i, script, hidden, s)
				}
			})
			t.Logf("%d of %d scripts had no problems", runs, tried.Load())
		})
	}
}

// certain writes scripts until one has commands and no Problems.
func certain(w writer, write func(writer) string, tried *atomic.Int64) (string, Script) {
	for {
		script := write(w)
		tried.Add(1)
		if s := Scan(script, nil); s.Certain() && len(s.Commands) > 0 {
			return script, s
		}
	}
}

// inParallel calls f with every number below total, on as many processors as there are.
func inParallel(total int, f func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() { // ends when every number is taken
			for i := int(next.Add(1)) - 1; i < total; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	workers.Wait()
}

// fuzzRuns is how often a randomised test runs: A2A_FUZZ_RUNS when it is set, else what the test finds
// right, and a twentieth of it with -short.
func fuzzRuns(standard int) int {
	if n, err := strconv.Atoi(os.Getenv("A2A_FUZZ_RUNS")); err == nil && n > 0 {
		return n
	}
	if testing.Short() {
		return standard / 20
	}
	return standard
}

// The comparison bites: of a Script that tells nothing, everything is hidden.
func TestHostSeesWhatRuns(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, row := range []struct {
		script string
		want   []string
	}{
		{"p1", []string{"ran p1"}},
		{"env timeout 9 p2 > f", []string{"ran env", "ran timeout", "ran p2", "wrote f"}},
		{"p1 & setsid p3 > >(p2 > g) &", []string{"ran p1", "ran p2", "ran p3", "ran setsid", "wrote g"}},
		{"/bin/echo; : > /dev/null", nil},
	} {
		got := h.hidden(t, row.script, Script{})
		slices.Sort(got)
		slices.Sort(row.want)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", row.script, diff)
		}
	}
}
