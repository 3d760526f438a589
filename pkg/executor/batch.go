package executor

import (
	"context"
	"sync"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of how many calls of a batch run at once.
const (
	DefaultAtOnce = 4
	MostAtOnce    = 64
)

// ExecuteBatch executes calls, atOnce of them at the same time (0 means DefaultAtOnce, and there are never
// more than MostAtOnce), and gives their results in the order of the calls. Each is a call like any other:
// decided, recorded and confined by itself. One that fails does not stop the others. Ending ctx ends those
// that run and withdraws those that have not begun. The caller is asked from several goroutines.
func (e *Executor) ExecuteBatch(ctx context.Context, calls []tool.Call, caller Caller, atOnce int) []tool.Result {
	if atOnce <= 0 {
		atOnce = DefaultAtOnce
	}
	results := make([]tool.Result, len(calls))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(atOnce, MostAtOnce, len(calls)) {
		workers.Go(func() { // ends when there are no more calls
			for i := range next {
				results[i] = e.executeNext(ctx, calls[i], caller)
			}
		})
	}
	for i := range calls {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

// executeNext executes a call of a batch that has not been withdrawn.
func (e *Executor) executeNext(ctx context.Context, call tool.Call, caller Caller) tool.Result {
	if ctx.Err() == nil {
		return e.Execute(ctx, call, caller)
	}
	if call.ID == "" {
		call.ID = e.newID()
	}
	return e.refuse(ctx, call, nil, e.now(),
		tool.Failf(tool.FailCancelled, "the batch was withdrawn before this call began"))
}
