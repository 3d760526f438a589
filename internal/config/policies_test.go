package config

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func TestReadPolicies(t *testing.T) {
	t.Parallel()
	source := func(line int) tool.Source {
		return tool.Source{Layer: tool.LayerUser, File: "p.yaml", Line: line, Column: 5}
	}
	tests := []struct {
		file string
		want permissions.File
	}{
		{"policies_original.yaml", permissions.File{
			Version: permissions.VersionOriginal, Layer: tool.LayerUser, Name: "p.yaml",
			Rules: []permissions.Rule{
				{
					ID: "docs-edits", Source: source(3),
					AppliesTo: []string{"functions.acp_fs__edit_text_file",
						"functions.acp_fs__write_text_file"},
					IncludePaths: []string{"docs/**", "**/*.md"}, ExcludePaths: []string{"docs/legal/**"},
					Verdict: permissions.Approve, Option: "proceed_once", Reason: "Documentation edits",
				},
				{
					ID: "shell", Source: source(14), AppliesTo: []string{"functions.shell"},
					CommandPrefixes: []string{"git status", "ls"},
					Parameters: map[string]any{"workdir": ".", "with_escalated_permissions": false,
						"timeout_ms": json.Number("1000")},
					Verdict: permissions.Ask,
				},
			},
		}},
		{"policies_strict.yaml", permissions.File{
			Version: permissions.Version2, Layer: tool.LayerUser, Name: "p.yaml",
			Rules: []permissions.Rule{
				{
					ID: "safe-git", Source: source(3), AppliesTo: []string{"functions.shell", "mcp_*"},
					Commands: &permissions.Commands{Allow: []string{"git status", "ls"},
						Redirects: permissions.RedirectsWorkspace},
					InGitWorkTree: true, Confined: true, Verdict: permissions.Approve, Option: "allow_once",
				},
				{
					ID: "no-prod", Source: source(8), AppliesTo: []string{"*"},
					IncludePaths: []string{"prod/**"},
					Verdict:      permissions.Reject, Reason: "No production from agents",
				},
				{ID: "look", Source: source(12), AppliesTo: []string{"x"}, Verdict: permissions.Ask},
			},
		}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile("testdata/ok/" + test.file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ReadPolicies(File{Name: "p.yaml", Layer: tool.LayerUser, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadSettings(t *testing.T) {
	t.Parallel()
	base := Settings{Always: AlwaysForward, Expose: []string{"a"}, Mask: Mask{FS: true}, MaxFrame: 70 << 20}
	tests := []struct {
		name, data string
		want       Settings
	}{
		{"what is not said stays", "mask: {terminal: true}\n",
			Settings{Always: AlwaysForward, Expose: []string{"a"}, Mask: Mask{FS: true, Terminal: true},
				MaxFrame: 70 << 20}},
		{"all", "always: keep\nexpose: [b]\nmask: {fs: false}\nmax_frame_mb: 64\n",
			Settings{Always: AlwaysKeep, Expose: []string{"b"}, MaxFrame: 64 << 20}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadSettings(File{Name: "s.yaml", Data: []byte(test.data)}, base)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
