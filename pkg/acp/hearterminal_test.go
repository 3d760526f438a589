package acp

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// TestFramesOfOthersAreNotRead: what is about no terminal is relayed unread, however long it is. Where it was read to find
// that out, a bridge passed on less than half as much in a second.
func TestFramesOfOthersAreNotRead(t *testing.T) { //nolint:paralleltest // AllocsPerRun has the process for itself
	b := &Bridge{}
	frame := ndjson.Scan([]byte(`{"jsonrpc":"2.0","method":"_x","params":{"text":"` + strings.Repeat("x", 1<<20) + `"}}`))
	if n := testing.AllocsPerRun(10, func() { b.hearTerminal(frame) }); n > 1 {
		t.Errorf("%v allocations for a frame that is about no terminal, want that of its name", n)
	}
}
