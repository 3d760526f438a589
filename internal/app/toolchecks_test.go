package app

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestHeldBackWhereTheFileIsUnknown: a tool that asks for what is its person's and that belongs to no file
// of the set is given nothing, and one that asks for nothing, or is the user's own, is left alone.
func TestHeldBackWhereTheFileIsUnknown(t *testing.T) {
	t.Parallel()
	entry := func(layer tool.Layer, grants ...string) *executor.Entry {
		return &executor.Entry{Tool: &tool.Tool{ID: "t", Source: tool.Source{Layer: layer, File: "gone.yaml"}, Sandbox: tool.Sandbox{Grants: grants}}}
	}
	asks, plain, own := entry(tool.LayerFlag, "git"), entry(tool.LayerFlag), entry(tool.LayerUser, "git")
	a := &App{o: Options{Getenv: func(string) string { return "" }}}
	a.holdBack(&config.Set{}, []*executor.Entry{asks, plain, own})
	if asks.Intact == nil || asks.Intact() == nil {
		t.Error("a tool of an unknown file is given a grant")
	}
	if plain.Intact != nil || own.Intact != nil {
		t.Error("a tool that asks for nothing, or the user's own, is held back")
	}
}
