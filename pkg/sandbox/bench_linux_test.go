//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// BenchmarkRun compares a call with a bare start of the same script. The ways take turns within one run, so
// that other work on the machine falls on all of them. x-floor is the ratio of the medians to os/exec with
// everything at /dev/null.
//
//	go test -run '^$' -bench BenchmarkRun -benchtime 300x ./pkg/sandbox
func BenchmarkRun(b *testing.B) {
	for _, heap := range []int{0, 1 << 30} {
		b.Run(fmt.Sprintf("heap=%dMB", heap>>20), func(b *testing.B) { compare(b, heap) })
	}
}

func compare(b *testing.B, heap int) {
	ballast := pointers(heap)
	script := filepath.Join(b.TempDir(), "script.sh")
	if err := os.WriteFile(script, []byte("echo hello\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	host, err := Open(Options{TempDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()
	isolated, direct := planFor(b, host, tool.DefaultLimits(), true), planFor(b, host, tool.DefaultLimits(), false)
	ways := []struct {
		name string
		run  func() error
	}{
		{"floor", exec.Command(bash, "--noprofile", "--norc", script).Run},
		{"capture", nil},
		{"direct", func() error { return echo(b, host, direct) }},
		{"isolated", func() error { return echo(b, host, isolated) }},
	}
	times := make([][]time.Duration, len(ways))
	for b.Loop() {
		for i := range ways {
			run := ways[i].run
			switch ways[i].name {
			case "floor":
				run = exec.Command(bash, "--noprofile", "--norc", script).Run
			case "capture":
				cmd := exec.CommandContext(b.Context(), bash, "--noprofile", "--norc", script)
				cmd.Stdout, cmd.Stderr = new(bytes.Buffer), new(bytes.Buffer)
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				run = cmd.Run
			}
			begun := time.Now()
			if err := run(); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(begun))
		}
	}
	b.ReportMetric(0, "ns/op")
	for i := range ways {
		slices.Sort(times[i])
		median := times[i][len(times[i])/2]
		b.ReportMetric(float64(median.Microseconds()), ways[i].name+"-us")
		b.ReportMetric(float64(median)/float64(times[0][len(times[0])/2]), ways[i].name+"-x-floor")
	}
	if len(ballast) > 0 && ballast[0] == nil {
		b.Fatal("the heap is gone")
	}
}

// pointers makes a heap of that many bytes that the kernel has given pages for.
func pointers(size int) []*[4096]byte {
	list := make([]*[4096]byte, size/4096)
	for i := range list {
		list[i] = new([4096]byte)
		list[i][0] = 1
	}
	return list
}

func echo(b *testing.B, host *Host, p Plan) error {
	o, err := host.Run(b.Context(), p, Process{
		Argv:   []string{bash, "--noprofile", "--norc", "/dev/fd/4"},
		Inputs: []Input{{Name: "values"}, {Name: "script", Data: []byte("echo hello\n")}},
	})
	if err == nil && string(o.Stdout) != "hello\n" {
		err = fmt.Errorf("got %+v", o)
	}
	return err
}

// BenchmarkParallel measures how many calls a second come through, eight at a time.
func BenchmarkParallel(b *testing.B) {
	host, err := Open(Options{TempDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()
	p := planFor(b, host, tool.DefaultLimits(), true)
	script := filepath.Join(b.TempDir(), "script.sh")
	if err := os.WriteFile(script, []byte("echo hello\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for name, run := range map[string]func() error{
		"run":   func() error { return echo(b, host, p) },
		"floor": func() error { return exec.Command(bash, "--noprofile", "--norc", script).Run() },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := run(); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
