package app

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
)

// A client hears the last line at most four times a second, and the one that a tool stops at is among them.
func TestMCPProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		begun := time.Now()
		tell := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf("%v %s", time.Since(begun), text))
		}
		o := &mcpOutput{tool: "build", call: mcpserver.Call{
			Progress: func(p mcpserver.Progress) { tell(p.Text) },
			Log: func(level mcpserver.Level, logger string, data any) {
				tell(fmt.Sprintf("%s %s %v", level, logger, data))
			},
		}}
		for n := range 10 {
			fmt.Fprintf(printed{o, executor.Stdout}, "step %d\nste", n)
			fmt.Fprint(printed{o, executor.Stdout}, "p\r")
			time.Sleep(90 * time.Millisecond)
		}
		fmt.Fprint(printed{o, executor.Stderr}, "a warning\nhalf a ")
		time.Sleep(time.Minute) // the tool is quiet
		fmt.Fprint(printed{o, executor.Stdout}, "done\nlast\n")
		fmt.Fprint(printed{o, executor.Stdout}, "too late\n")
		o.end()
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		want := []string{"0s step 0", "250ms step", "500ms step", "750ms step", "900ms info build a warning", "1s step", "1m0.9s last"}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

// printed is a stream of a call that a client hears.
type printed struct {
	o      *mcpOutput
	stream executor.Stream
}

func (p printed) Write(text []byte) (int, error) {
	p.o.Output(p.stream, text)
	return len(text), nil
}
