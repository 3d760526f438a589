package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

const (
	longRecord    = 100_000 // records; make soak takes ten million
	shorter       = 10      // times
	longOpened    = 11      // times each
	longWriters   = 256
	leastVerified = 300_000 // records in a second
	maxLonger     = 1.5     // times what it takes with a tenth of the records
)

// longRows measure what a long record costs, beside one of a tenth of it: the memory of verifying it, listing its
// last acts, and what opening it adds to each start.
func longRows(bin, dir string, n int) []row {
	less := fmt.Sprintf("with %d", n/shorter)
	verify := within(fmt.Sprintf("record: verify %d records", n), recordRate, leastVerified)
	memory := comparedRow(fmt.Sprintf("record: most memory of that, %d records", n), "MB", less, maxLonger)
	list := comparedRow(fmt.Sprintf("record: audit list --last 20, %d records", n), "ms", less, maxLonger)
	open := comparedRow(fmt.Sprintf("record: open and close, %d records", n), "ms", less, maxLonger)
	long, err := measureLong(bin, filepath.Join(dir, "long"), n)
	if err != nil {
		return []row{verify.unmeasured(err), memory.unmeasured(err), list.unmeasured(err), open.unmeasured(err)}
	}
	short, err := measureLong(bin, filepath.Join(dir, "short"), n/shorter)
	if err != nil {
		return []row{verify.unmeasured(err), memory.unmeasured(err), list.unmeasured(err), open.unmeasured(err)}
	}
	return []row{
		verify.measured(long.rate, 0, "1"),
		memory.measured(long.memory, short.memory, "1 process"),
		list.measured(long.list, short.list, fmt.Sprint(longOpened)),
		open.measured(long.open, short.open, fmt.Sprint(longOpened)),
	}
}

// longFigures are records in a second, MB, and ms.
type longFigures struct{ rate, memory, list, open float64 }

func measureLong(bin, state string, n int) (f longFigures, err error) {
	dir := filepath.Join(makeDir(state), "audit")
	if err := fillRecord(dir, n); err != nil {
		return f, err
	}
	out, err := exec.Command("/proc/self/exe", "-role", "verify", dir).Output()
	if err != nil {
		return f, fmt.Errorf("verify: %w", err)
	}
	if _, err := fmt.Sscan(string(out), &f.rate, &f.memory); err != nil {
		return f, fmt.Errorf("verify said %q: %w", out, err)
	}
	var lists, opens []float64
	for range longOpened {
		cmd := exec.Command(bin, "audit", "list", "--session", "all", "--last", "20")
		cmd.Env = append(os.Environ(), "A2A_STATE_DIR="+state)
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			return f, fmt.Errorf("audit list: %w: %s", err, out)
		}
		lists = append(lists, time.Since(began).Seconds()*1000)
		began = time.Now()
		log, err := audit.Open(dir)
		if err != nil {
			return f, err
		}
		if err := log.Close(); err != nil {
			return f, err
		}
		opens = append(opens, time.Since(began).Seconds()*1000)
	}
	f.list, f.open = median(lists), median(opens)
	return f, os.RemoveAll(state)
}

// fillRecord makes a record of so many lines.
func fillRecord(dir string, n int) error {
	log, err := audit.Options{CheckpointLines: 10_000}.Open(dir) // what is measured here is not how long this takes
	if err != nil {
		return err
	}
	event := decision()
	event.Type = events.ToolEnded // not one by one to the disk
	var next atomic.Int64
	var writers sync.WaitGroup
	failed := make([]error, longWriters)
	for i := range longWriters {
		writers.Go(func() {
			e := event
			for failed[i] == nil {
				number := next.Add(1)
				if number > int64(n) {
					return
				}
				e.CallID = fmt.Sprint("call-", number)
				failed[i] = log.Record(context.Background(), e)
			}
		})
	}
	writers.Wait()
	return errors.Join(errors.Join(failed...), log.Close())
}

// verifyAlone is the role: it verifies a record and says how many records it did in a second, and the most memory that
// it had, in MB.
func verifyAlone(dir string, out io.Writer) error {
	began := time.Now()
	report, err := audit.Verify(dir, audit.VerifyOptions{})
	took := time.Since(began)
	if err == nil && !report.OK {
		err = fmt.Errorf("%+v", report.Problems)
	}
	if err != nil {
		return err
	}
	most, err := statusMB(os.Getpid(), "VmHWM:")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, float64(report.Records)/took.Seconds(), most)
	return err
}
