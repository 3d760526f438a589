//go:build agents

package agents

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
)

// TestBare says what the agents do by themselves. When a new version of an agent changes one of these, the
// bridge may have to change too.
func TestBare(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, a, options{missing: editor.MissingIsEmpty, buffers: buffers()})
			r.playAll()
			r.stop()
			r.checkFrames(r.editor.Frames())
		})
	}
}
