package executor

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestPathsOf: what rules about paths look at are the parameters that are declared as paths, and those that are named so.
func TestPathsOf(t *testing.T) {
	t.Parallel()
	declared := &tool.Tool{Parameters: []tool.Parameter{
		{Name: "into", Type: tool.TypeString, Format: tool.FormatPath},
		{Name: "all", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString, Format: tool.FormatPath}},
		{Name: "from", Type: tool.TypeString, Format: tool.FormatURI},
		{Name: "file", Type: tool.TypeString},
	}}
	got := pathsOf(declared, map[string]any{"into": "a", "all": []any{"b", "c"}, "from": "https://x", "file": "d", "word": "e"})
	want := []permissions.Path{{Name: "b", Write: true}, {Name: "c", Write: true}, {Name: "d", Write: true}, {Name: "a", Write: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPathsOfPatch: the files that a patch names are paths of the call.
func TestPathsOfPatch(t *testing.T) {
	t.Parallel()
	declared := &tool.Tool{Parameters: []tool.Parameter{{Name: "change", Type: tool.TypeString, Format: tool.FormatPatch}}}
	patch := "*** Begin Patch\n*** Update File: a\n*** Move to: .git/hooks/b\n-x\n*** Delete File: c\n*** End Patch"
	got := pathsOf(declared, map[string]any{"change": patch})
	want := []permissions.Path{{Name: "a", Write: true}, {Name: ".git/hooks/b", Write: true}, {Name: "c", Write: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
