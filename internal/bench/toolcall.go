package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"time"
)

const (
	toolCalls   = 101 // that are timed
	maxToolCall = 1.7 // of the floor's time
)

// toolCallRow is the row of one tool call through the whole pipeline: validate, render, decide, fsync, run, map. call makes
// one such call of a tool whose script is the given one; the floor is bash itself with the script in a file, started with
// nothing around it.
//
// NOT WIRED YET: measure calls this as soon as an executor can be made here (pkg/executor, with a temporary state directory
// and a real audit log); until then there is no such row.
func toolCallRow(call func() error, script string) row {
	r := beside("tool call, whole pipeline", "ms", "bash script", maxToolCall)
	var ours, floors []float64
	for i := range toolCalls + 1 {
		floor, err := timed(func() error { return bash(script) })
		if err != nil {
			return r.unmeasured(fmt.Errorf("the floor: %w", err))
		}
		taken, err := timed(call)
		if err != nil {
			return r.unmeasured(err)
		}
		if i > 0 {
			ours, floors = append(ours, taken), append(floors, floor)
		}
	}
	return r.measured(median(ours), median(floors), fmt.Sprintf("%d each", toolCalls))
}

// bash runs a script and gathers what it prints. os/exec starts it by clone(CLONE_VFORK|CLONE_VM), as posix_spawn does.
func bash(script string) error {
	var out bytes.Buffer
	cmd := exec.Command("bash", script)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bash %s: %w: %s", script, err, out.Bytes())
	}
	return nil
}

func timed(f func() error) (ms float64, err error) {
	begun := time.Now()
	err = f()
	return milliseconds(time.Since(begun)), err
}
