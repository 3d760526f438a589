package config

import (
	"slices"
	"strings"
)

// addExposed reads the embedded tools that were left unread where the settings, which are known by now, expose
// one of them.
func (l *loading) addExposed() {
	exposed := func(id string) bool { return slices.Contains(l.set.Settings.Expose, id) }
	if !slices.ContainsFunc(l.set.Unread, exposed) {
		return
	}
	read, err := l.readTools(l.unread)
	if err != nil {
		panic(err) // a test has read them
	}
	l.set.Unread = nil
	for _, t := range read.tools {
		if _, replaced := l.tools[t.Tool.ID]; replaced {
			continue
		}
		l.addGrants(&t)
		l.tools[t.Tool.ID] = len(l.set.Tools)
		l.set.Tools = append(l.set.Tools, t)
	}
}

// toolIDs returns the ids of a tools file that is written as the embedded one is: each on a line of its own,
// two columns in.
func toolIDs(data []byte) []string {
	var ids []string
	_, tools, _ := strings.Cut(string(data), "\ntools:\n")
	for line := range strings.Lines(tools) {
		id, is := strings.CutSuffix(strings.TrimSuffix(line, "\n"), ":")
		if id, indented := strings.CutPrefix(id, "  "); is && indented && !strings.HasPrefix(id, " ") && !strings.HasPrefix(id, "#") {
			ids = append(ids, id)
		}
	}
	return ids
}
