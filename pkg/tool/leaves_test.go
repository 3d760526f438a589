package tool_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestMapLeaves: every leaf is given once, wherever it stands, and the value itself stays as it was.
func TestMapLeaves(t *testing.T) {
	t.Parallel()
	value := map[string]any{"a": []any{"x", json.Number("1"), nil, []any{}}, "b": map[string]any{"c": true}}
	before := map[string]any{"a": []any{"x", json.Number("1"), nil, []any{}}, "b": map[string]any{"c": true}}
	got := tool.MapLeaves(value, func(leaf any) any { return []any{leaf} })
	want := map[string]any{
		"a": []any{[]any{"x"}, []any{json.Number("1")}, []any{nil}, []any{}}, "b": map[string]any{"c": []any{true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, value); diff != "" {
		t.Errorf("the value was changed (-want +got):\n%s", diff)
	}
}
