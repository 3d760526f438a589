//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"debug/elf"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInit checks what a call with a process namespace sees of its first process, and can do to it: nothing
// but that it is there.
func TestInit(t *testing.T) {
	atLevels(t, func(t *testing.T, host *Host) {
		if !host.Level().hasNamespaces() {
			return
		}
		// What has no parent any more is gone as soon as it has ended, or the call does not end.
		out := script{text: `
			for signal in $(seq 64); do kill -$signal 1 2>/dev/null; done
			kill -KILL -1
			echo "it is $PPID, we are $$"
			(true & echo $! >orphan)
			while kill -0 $(cat orphan) 2>/dev/null; do :; done
			setsid sh -c 'echo $$ >session' & wait $!
			kill -- -$$
			echo not reached`, env: map[string]string{"SECRET": "of the call"}}.run(t.Context(), t, host)
		if got := string(out.Stdout); got != "it is 1, we are 2\n" || out.Signal != "SIGTERM" {
			t.Errorf("got %q, ended by %s: %s", got, out.Signal, out.Stderr)
		}
		if !host.Level().AtLeast(LevelFull) {
			return // its /proc is the machine's
		}
		out = script{text: `
			for f in environ maps mem auxv io stack syscall timers fd/60 exe root cwd ns/pid; do head -c 1 /proc/1/$f >/dev/null 2>&1 && echo "reads $f"; done
			readlink /proc/1/exe /proc/1/cwd /proc/1/root /proc/1/fd/60 /proc/1/map_files/*
			for f in mem clear_refs oom_score_adj coredump_filter comm; do { echo 0 >/proc/1/$f; } 2>/dev/null && echo "writes $f"; done
			grep -E '^(Name|NoNewPrivs|Seccomp|CapEff|CapPrm|SigCgt|SigBlk)' /proc/1/status
			diff <(grep -v Cpus /proc/1/limits) <(grep -v Cpus /proc/self/limits) && echo the same limits
			tr '\0' '\n' </proc/1/cmdline | head -n 2`}.run(t.Context(), t, host)
		want := "Name:\tinit\n" + strings.Join([]string{"SigBlk:\t0000000000000000", "SigCgt:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "Seccomp_filters:\t1", "the same limits", initName, bash}, "\n") + "\n"
		got := string(out.Stdout)
		if i := strings.Index(got, "\n"); strings.HasPrefix(got, "Name:") {
			got = "Name:\tinit" + got[i:] // the kernel takes the number of the descriptor, or the file's name
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what a call learns of its init (-want +got):\n%s\n%s", diff, out.Stderr)
		}
	})
}

// TestInitProgram checks that the program is one, by another reader than the kernel.
func TestInitProgram(t *testing.T) {
	t.Parallel()
	file, err := elf.NewFile(bytes.NewReader(executable([]byte("code"))))
	if err != nil {
		t.Fatal(err)
	}
	code := make([]byte, 4)
	for _, p := range file.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if _, err := p.ReadAt(code, int64(file.Entry-p.Vaddr)); err != nil || string(code) != "code" || p.Flags != elf.PF_R|elf.PF_X {
			t.Errorf("got %q (%v) at the entry, %v", code, err, p.Flags)
		}
	}
}
