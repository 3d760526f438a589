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
	decisionRounds = 40     // of decisionsEach, by turns with the floor
	decisionsEach  = 10     //
	verified       = 100000 // records
	leastVerified  = 300000 // records in a second
	leastDecisions = 0.8    // of what the disk takes
)

// recordRows measure the record.
func recordRows(dir string) []row {
	return []row{decisionsRow(dir), verifyRow(dir)}
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

// verifyRow verifies a record with its tree and checkpoints.
func verifyRow(dir string) row {
	r := within("record: verify", recordRate, leastVerified)
	dir = filepath.Join(dir, "verified")
	log, err := audit.Open(dir)
	if err != nil {
		return r.unmeasured(err)
	}
	event := decision()
	event.Type = events.ToolEnded // not one by one to the disk
	for range verified {
		if err := log.Record(context.Background(), event); err != nil {
			return r.unmeasured(err)
		}
	}
	if err := log.Close(); err != nil {
		return r.unmeasured(err)
	}
	began := time.Now()
	report, err := audit.Verify(dir, audit.VerifyOptions{})
	took := time.Since(began)
	if err == nil && (!report.OK || report.Records != verified) {
		err = fmt.Errorf("verified %d records, ok %v", report.Records, report.OK)
	}
	if err != nil {
		return r.unmeasured(err)
	}
	return r.measured(verified/took.Seconds(), 0, fmt.Sprint(verified))
}
