package executor

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestPathsOf: what rules about paths look at are the parameters that are declared as paths, and those that
// are named so.
func TestPathsOf(t *testing.T) {
	t.Parallel()
	declared := &tool.Tool{Parameters: []tool.Parameter{
		{Name: "into", Type: tool.TypeString, Format: tool.FormatPath},
		{Name: "all", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString, Format: tool.FormatPath}},
		{Name: "from", Type: tool.TypeString, Format: tool.FormatURI},
		{Name: "file", Type: tool.TypeString},
	}}
	got := pathsOf(declared, map[string]any{"into": "a", "all": []any{"b", "c"}, "from": "https://x", "file": "d", "word": "e", "workdir": "x"}, "/w")
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
	got := pathsOf(declared, map[string]any{"change": patch}, "/w")
	want := []permissions.Path{{Name: "a", Write: true}, {Name: ".git/hooks/b", Write: true}, {Name: "c", Write: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPathsOfPatchElsewhere: a patch that is applied in another directory is about both files that each of
// its names could mean.
func TestPathsOfPatchElsewhere(t *testing.T) {
	t.Parallel()
	declared := &tool.Tool{Parameters: []tool.Parameter{{Name: "patch", Type: tool.TypeString, Format: tool.FormatPatch}, {Name: "workdir", Type: tool.TypeString}}}
	patch := "*** Begin Patch\n*** Delete File: post-checkout\n*** Delete File: /abs\n*** End Patch"
	both := []permissions.Path{{Name: "post-checkout", Write: true}, {Name: "/w/.git/hooks/post-checkout", Write: true}, {Name: "/abs", Write: true}}
	one := []permissions.Path{{Name: "post-checkout", Write: true}, {Name: "/abs", Write: true}}
	for workdir, want := range map[string][]permissions.Path{".git/hooks": both, "/w/x/../.git/hooks": both, ".": one, "/w": one, "": one} {
		if diff := cmp.Diff(want, pathsOf(declared, map[string]any{"patch": patch, "workdir": workdir}, "/w")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", workdir, diff)
		}
	}
}
