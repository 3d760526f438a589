//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// runningInto holds for each limit that a call can have a script that runs into it.
var runningInto = map[string]struct {
	limits tool.Limits
	text   string
	from   Level // the weakest that has it; all when ""
}{
	limitTimeout:   {tool.Limits{Timeout: 100 * time.Millisecond}, "sleep 1000", ""},
	limitCPU:       {tool.Limits{CPU: time.Second}, "bash -c 'while :; do :; done'; exit $?", ""},
	limitMemory:    {tool.Limits{Memory: 32 << 20}, `x=$(head -c 64M /dev/zero | tr '\0' x); exit 9`, ""},
	limitAddresses: {tool.Limits{Addresses: 64 << 20}, `x=$(head -c 64M /dev/zero | tr '\0' x); exit 9`, ""},
	limitFileSize:  {tool.Limits{FileSize: 4096}, "head -c 8192 /dev/zero >$HOME/big; exit $?", ""},
	limitOutput:    {tool.Limits{Output: 1000}, "yes", ""},
	limitOpenFiles: {tool.Limits{OpenFiles: 20}, `perl -e 'for (1..40) { open(my $f, "<", "/dev/null") or die "open: $!\n"; push @all, $f }'`, ""},
	// It goes on where nothing refuses it another process, so that it is found out by those that count.
	limitProcesses: {tool.Limits{Processes: 20, Timeout: time.Minute}, `perl -e 'for (1..60) { my $p = fork; defined $p or die "fork: $!\n"; $p or sleep(1000) } sleep 1000'`, ""},
	limitTempSize:  {tool.Limits{TempSize: 1 << 20}, "head -c 8M /dev/zero >$TMPDIR/big", LevelNoProc},
}

// TestEachLimitIsNamed runs into each limit that a call can have, on every level, and checks that the
// result names it, and nothing else. A limit that has no script here fails the test.
func TestEachLimitIsNamed(t *testing.T) {
	if _, err := os.Stat("/usr/bin/perl"); err != nil {
		t.Skip("want perl in /usr/bin, which says why something was refused it")
	}
	atLevels(t, func(t *testing.T, host *Host) {
		all := tool.Limits{
			Timeout: time.Minute, CPU: time.Minute, Memory: 1 << 30, FileSize: 1 << 20, Output: 1 << 20, OpenFiles: 64, Processes: 64, TempSize: 1 << 20, Addresses: 1 << 40,
		}
		for name := range planFor(t, host, all, false).Report().Limits {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if testing.Short() && name == "cpu" {
					t.Skip("takes a second of a processor")
				}
				into, ok := runningInto[name]
				if !ok {
					t.Fatal("there is no script that runs into it")
				}
				if !host.Level().AtLeast(into.from) {
					t.Fatalf("the report claims it below level %s", into.from)
				}
				out := script{text: into.text, limits: into.limits}.run(t.Context(), t, host)
				if !slices.Equal(out.LimitsHit, []string{name}) || out.ExitCode == 0 {
					t.Errorf("got limits hit %q, code %d; want %s alone, and a failure\n%.500s%.500s", out.LimitsHit, out.ExitCode, name, out.Stdout, out.Stderr)
				}
			})
		}
	})
}

// wantsGroups says what a machine lacks on which a call's memory is not bounded as a whole.
const wantsGroups = "want control groups of version 2 (cgroup2 in /proc/mounts) with the controllers memory and pids, in a part of the tree " +
	"that is delegated to this user and that this program is in a group below: a systemd unit with Delegate=yes and DelegateSubgroup=…"

// TestMemoryOfTheWholeCall checks that processes which are each within the limit on memory, and together
// are not, end the call.
func TestMemoryOfTheWholeCall(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		host, err := Open(Options{TempDir: t.TempDir(), AllowWeak: true})
		mustDo(t, err)
		defer host.Close()
		if !host.capability.totalMemory {
			t.Skip(wantsGroups)
		}
		limits := tool.DefaultLimits()
		limits.Memory = 64 << 20
		text := `for i in 1 2 3 4; do perl -e '$x = "x" x (40 << 20); print "half\n"; sleep 1000' & done; wait; exit 9`
		out := script{text: text, limits: limits}.run(t.Context(), t, host)
		if !slices.Contains(out.LimitsHit, limitMemory) {
			t.Errorf("got limits hit %q, code %d; want memory among them\n%.500s", out.LimitsHit, out.ExitCode, out.Stderr)
		}
	})
}
