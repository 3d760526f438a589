package executor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestHintsTellAgentsNothingOutside has a call fail at a file in the workspace and at one outside. A person
// is told of both. An agent, which can have a tool name any path, would learn from the second which files
// there are.
func TestHintsTellAgentsNothingOutside(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(outside, "there")
	if err := os.WriteFile(there, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(h.dir, "new")
	work := script("cat " + there + "; echo x >" + inside + " || exit 1")
	work.Sandbox.AllowedPaths = []tool.AllowedPath{{Path: ".", ReadOnly: true}}
	h.has(work)
	write := tool.Hint{Refused: "write " + inside, Allow: `sandbox.allowed_paths: ["."]`}
	read := tool.Hint{Refused: "read " + there, Allow: "sandbox.allowed_paths: [{path: " + there + ", access: read}]"}
	for door, want := range map[tool.Door][]tool.Hint{tool.DoorMCP: {write}, tool.DoorCLI: {read, write}} {
		call := h.call(`{}`)
		call.Origin.Door = door
		result := h.executor.Execute(t.Context(), call, person{h})
		var refused []tool.Hint
		for _, hint := range result.Metadata.Sandbox.Hints {
			if hint.Refused != "" {
				refused = append(refused, hint)
			}
		}
		if diff := cmp.Diff(want, refused); diff != "" {
			t.Errorf("%s (-want +got):\n%s%s", door, diff, result.Stderr)
		}
	}
}

// TestHintOfReadOnly: where the author's own word keeps a tool from writing, no line is told that would not help.
func TestHintOfReadOnly(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	inside, yes := filepath.Join(h.dir, "new"), true
	work := script("echo x >" + inside + " || exit 1")
	work.Sandbox.AllowedPaths = []tool.AllowedPath{{Path: ".", ReadOnly: true}}
	work.Annotations.ReadOnly = &yes
	h.has(work)
	result := h.executor.Execute(t.Context(), h.call(`{}`), person{h})
	want := tool.Hint{Refused: "write " + inside + ", and a tool with readOnlyHint: true writes nowhere"}
	if !slices.Contains(result.Metadata.Sandbox.Hints, want) {
		t.Errorf("got %+v, want %+v", result.Metadata.Sandbox.Hints, want)
	}
}

// TestHintOfRun checks that a refused program is told as one that would have to be allowed by name, not as
// a file to be written.
func TestHintOfRun(t *testing.T) {
	t.Parallel()
	want := tool.Hint{Refused: "run /usr/bin/grep", Allow: "sandbox.allowed_commands: [grep]"}
	if diff := cmp.Diff(want, hintOf(sandbox.Refusal{What: sandbox.RefusedRun, Path: "/usr/bin/grep", Grant: "grep"})); diff != "" {
		t.Error(diff)
	}
}
