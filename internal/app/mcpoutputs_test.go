package app

import (
	"errors"
	"fmt"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// A hash opens nothing that is not of the caller's own calls, and old ones make room.
func TestOutputsAreTheirCallers(t *testing.T) {
	t.Parallel()
	var o mcpOutputs
	o.keep("ci", keptOutput{"a", "text/plain"})
	if _, ok := o.find("web", "a"); ok {
		t.Error("another has it")
	}
	if _, ok := o.find("", "a"); ok {
		t.Error("nobody has it")
	}
	for i := range mostOutputs - 1 {
		o.keep("ci", keptOutput{fmt.Sprint(i), "text/plain"})
	}
	if _, ok := o.find("ci", "a"); !ok || len(o.of["ci"]) != mostOutputs {
		t.Error("it is gone while there is room")
	}
	o.keep("ci", keptOutput{"0", "text/plain"}) // again
	o.keep("ci", keptOutput{"more", "text/plain"})
	if _, ok := o.find("ci", "a"); ok || len(o.of["ci"]) != mostOutputs {
		t.Errorf("%d are kept", len(o.of["ci"]))
	}
	d := &mcpDoor{}
	d.outputs.keep("ci", keptOutput{"a", "text/plain"})
	if _, err := d.readOutput(&mcpserver.Client{Principal: "web"}, outputsURI+"a"); !errors.Is(err, mcpserver.ErrNoResource) {
		t.Errorf("got %v", err)
	}
}
