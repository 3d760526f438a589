package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

const (
	decisionRounds = 40  // of decisionsEach, by turns with the floor
	decisionsEach  = 10  //
	leastDecisions = 0.8 // of what the disk takes
)

// recordRows measure the record, a long one with so many lines.
func recordRows(bin, dir string, records int) []row {
	return append([]row{decisionsRow(dir)}, longRows(bin, dir, records)...)
}

// decisionsRow puts decisions on disk one after the other, by turns with lines of the same length in a file of
// its own.
func decisionsRow(dir string) row {
	r := comparedRow("record: decisions on disk, one after the other", recordRate, "write and fsync", leastDecisions)
	ours, floor, err := decisionRates(dir)
	if err != nil {
		return r.unmeasured(err)
	}
	return r.measured(ours, floor, fmt.Sprint(decisionRounds*decisionsEach))
}

func decisionRates(dir string) (ours, floor float64, err error) {
	log, err := audit.Open(filepath.Join(dir, "decisions"))
	if err != nil {
		return 0, 0, err
	}
	defer log.Close() //nolint:errcheck // what counts is on disk
	file, err := os.OpenFile(filepath.Join(dir, "lines"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	line := append(bytes.Repeat([]byte("x"), 400), '\n')
	var rates [2][]float64
	for range decisionRounds {
		for i, write := range []func() error{
			func() error { return log.Record(context.Background(), decision()) },
			func() error {
				if _, err := file.Write(line); err != nil {
					return err
				}
				return file.Sync()
			},
		} {
			began := time.Now()
			for range decisionsEach {
				if err := write(); err != nil {
					return 0, 0, err
				}
			}
			rates[i] = append(rates[i], decisionsEach/time.Since(began).Seconds())
		}
	}
	slices.Sort(rates[0])
	slices.Sort(rates[1])
	return quantile(rates[0], 0.5), quantile(rates[1], 0.5), nil
}

func decision() events.Event {
	return events.Event{Type: events.ToolDecided, Session: "s", CallID: "call", Agent: "agent",
		Act: &events.Act{Kind: "write", Paths: []string{"src/main.go"}, Dir: "/home/alice/project"}}
}
