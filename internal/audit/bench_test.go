package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func typical(kind events.Type) events.Event {
	return events.Event{
		Type: kind, Time: testTime, Session: "5b8d1c5e-7b1b-4c5f-9d5e-1f2a3b4c5d6e", CallID: "call_0123456789abcdef01234567",
		Act:      &events.Act{Kind: "call", Tool: "functions.grep", Arguments: map[string]any{"pattern": "TODO", "path": "."}, Digest: sum(nil)},
		Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: "approve", Source: "policy", Rule: "reads", At: "policies.yaml:3"}, PolicySHA256: sum(nil)},
	}
}

func BenchmarkRecord(b *testing.B) {
	for _, goroutines := range []int{1, 16} {
		for _, kind := range []events.Type{events.ToolDecided, events.ToolEnded} {
			b.Run(fmt.Sprintf("%s/goroutines=%d", kind, goroutines), func(b *testing.B) {
				log, err := Open(filepath.Join(b.TempDir(), "audit"))
				if err != nil {
					b.Fatal(err)
				}
				defer log.Close()
				var all sync.WaitGroup
				for g := range goroutines {
					all.Go(func() {
						for n := g; n < b.N; n += goroutines {
							if err := log.Record(context.Background(), typical(kind)); err != nil {
								b.Error(err)
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
			})
		}
	}
}

// BenchmarkFsync is the floor: the same line, written and synced, and nothing else.
func BenchmarkFsync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "f"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	line := make([]byte, 600)
	for b.Loop() {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}

func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "audit")
	for b.Loop() {
		log, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		log.Close()
	}
}

// BenchmarkOpenLong opens a long record, of which the last lines have no checkpoint yet.
func BenchmarkOpenLong(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "audit")
	for _, n := range []int{50_000, 900} {
		log, err := Options{CheckpointEvery: time.Hour}.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		for range n {
			if err := log.Record(b.Context(), typical(events.ToolEnded)); err != nil {
				b.Fatal(err)
			}
		}
		if n == 900 {
			log.unsigned = 0
		}
		if err := log.Close(); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		log, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		log.Close()
	}
}

// BenchmarkVerify verifies a record of typical lines, with a checkpoint at its end.
func BenchmarkVerify(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "audit")
	log, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	const n = 50_000
	for range n {
		if err := log.Record(b.Context(), typical(events.ToolEnded)); err != nil {
			b.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if report, err := Verify(dir, VerifyOptions{}); err != nil || !report.OK || report.Records != n {
			b.Fatal(report, err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
