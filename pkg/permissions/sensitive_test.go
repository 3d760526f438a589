package permissions

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func TestSensitiveFiles(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"real/": "", "link": "-> real"})
	s := newSensitive([]string{"/home/u/state/a2a", "relative is not ours", dir + "/link"})
	for path, want := range map[string]string{
		"/home/u/state/a2a/audit.log": "belongs to a2a-acp itself",
		"/home/u/state/A2A":           "belongs to a2a-acp itself",
		"/home/u/state/a2ax":          "",
		dir + "/real/audit.log":       "belongs to a2a-acp itself",
		"/w/.git/config":              "runs as code later",
		"/w/a/.nobodyrc":              "looks like a file that a tool takes its orders from",
		"/more/.worktree/main.go":     "",
		"/more/.worktree/.x":          "looks like a file that a tool takes its orders from",
		"/elsewhere/.nobodyrc":        "",
		"/w/main.go":                  "",
	} {
		if got := s.find(tool.Workspace{Root: "/w", Additional: []string{"/more", "/more/.worktree"}}, path, sensitive.Written); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
