package permissions

import "strings"

// ProtectedPaths lists the control files and directories that a sandbox is to keep as they are in every directory that a
// call may write to: those of the table whose names hold no pattern. They are relative to that directory.
//
// Of a work tree's .git the hooks and the configuration are named too, since a tool that commits is granted the rest.
func ProtectedPaths() []string {
	paths := []string{".git/hooks", ".git/config"}
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
