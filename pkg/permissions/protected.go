package permissions

import "strings"

// ProtectedPaths lists the control files and directories that a sandbox is to keep as they are in every directory that a
// call may write to: those of the table whose names hold no pattern. They are relative to that directory.
//
// Of a repository's .git they are what git runs, or reads its settings from (gitrepository-layout(5)): the rest is what a commit
// writes.
func ProtectedPaths() []string {
	paths := []string{".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir", ".git/info/attributes"}
	for _, row := range sensitiveFiles {
		if row.kind != control {
			continue
		}
		for _, pattern := range strings.Fields(row.patterns) {
			path := strings.TrimSuffix(pattern, "/**")
			if !strings.Contains(path, "*") {
				paths = append(paths, path)
			}
		}
	}
	return append(paths, "AGENTS.md", "CLAUDE.md", "GEMINI.md", "Jenkinsfile")
}
