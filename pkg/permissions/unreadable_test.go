package permissions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What rules reject reading by its path alone is listed, directories as a whole only where all that could be in
// them is rejected.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	reject := func(change func(*Rule)) Rule {
		r := Rule{ID: "r", AppliesTo: []string{ToolRead}, Verdict: Reject}
		change(&r)
		return r
	}
	paths := func(include ...string) func(*Rule) { return func(r *Rule) { r.IncludePaths = include } }
	for _, tt := range []struct {
		name    string
		version Version
		rules   []Rule
		want    []string
	}{
		{"a file", Version2, []Rule{reject(paths("secrets/one"))}, []string{"secrets/one"}},
		{"a pattern", Version2, []Rule{reject(paths("**/*.pem"))}, []string{"deep/er/x.pem", "key.pem"}},
		{"letter case does not count for what stops", Version2, []Rule{reject(paths("KEY.PEM"))}, []string{"key.pem"}},
		{"a directory, with what comes later", Version2, []Rule{reject(paths("secrets/**"))}, []string{"secrets"}},
		{"a directory of which only names with a dot are rejected", Version2, []Rule{reject(paths("deep/**/*.*"))}, []string{"deep/er/x.pem"}},
		{"a directory but for a part of it", Version2, []Rule{reject(func(r *Rule) {
			r.IncludePaths, r.ExcludePaths = []string{"secrets/**"}, []string{"secrets/two"}
		})}, []string{"secrets/one"}},
		{"the first rule decides in the original format", VersionOriginal, []Rule{
			{ID: "a", AppliesTo: []string{ToolRead}, IncludePaths: []string{"secrets/two"}, Verdict: Approve},
			reject(paths("secrets/**"))}, []string{"secrets/one"}},
		{"every tool", Version2, []Rule{reject(func(r *Rule) { r.AppliesTo, r.IncludePaths = []string{"*"}, []string{"key.pem"} })}, []string{"key.pem"}},
		{"a link is looked at where it leads", Version2, []Rule{reject(paths("link"))}, nil},
		{"only writing", Version2, []Rule{reject(func(r *Rule) {
			r.AppliesTo, r.IncludePaths = []string{"functions.acp_fs__write_text_file"}, []string{"**"}
		})}, nil},
		{"of one agent", Version2, []Rule{reject(func(r *Rule) { r.Agents, r.IncludePaths = []string{"codex"}, []string{"**"} })}, nil},
		{"only watched", Version2, []Rule{reject(func(r *Rule) { r.Observe, r.IncludePaths = true, []string{"**"} })}, nil},
		{"asks", Version2, []Rule{reject(func(r *Rule) { r.Verdict, r.IncludePaths = Ask, []string{"**"} })}, nil},
		{"no rule", Version2, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"secrets/one", "secrets/two", "deep/er/x.pem", "deep/er/plain", "key.pem", "main.go"} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("main.go", filepath.Join(root, "link")); err != nil {
				t.Fatal(err)
			}
			a := New(Options{Policies: NewSet([]File{{Version: tt.version, Name: "p.yaml", Rules: tt.rules}})})
			found := a.Unreadable(tool.Workspace{Root: root}, filepath.WalkDir)
			var got []string
			for _, path := range found.Paths {
				name, _ := filepath.Rel(root, path)
				got = append(got, name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !found.Whole {
				t.Errorf("whole: %v (-want +got):\n%s", found.Whole, diff)
			}
		})
	}
}
