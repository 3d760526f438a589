package config

import (
	"strings"
	"testing"
)

// TestAddSetting: what init is told comes into a file that a person has written, and every byte of his stays.
func TestAddSetting(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, before string
		after        string // "" for an error
		line         int
		says         string
	}{
		{"nothing", "", "confine: default\n", 1, ""},
		{"comments alone", "# mine\n# confine: optional\n", "# mine\n# confine: optional\nconfine: default\n", 3, ""},
		{"a start alone", "---\n", "---\nconfine: default\n", 2, ""},
		{"other settings", "mask: # why\n  fs: true\nexpose: [ grep ]\n\n# the end\n", "mask: # why\n  fs: true\nexpose: [ grep ]\n\n# the end\nconfine: default\n", 6, ""},
		{"no end of the last line", "always: keep", "always: keep\nconfine: default\n", 2, ""},
		{"line ends of Windows", "\ufeffalways: keep\r\n", "\ufeffalways: keep\r\nconfine: default\r\n", 2, ""},
		{"said already", "confine: \"default\" # so\nalways: keep\n", "confine: \"default\" # so\nalways: keep\n", 1, ""},
		{"otherwise", "always: keep\nconfine: optional # for now\n", "", 2, `a.yaml:2 says otherwise, which is kept; write "confine: default" there`},
		{"in one line", "{always: keep}\n", "", 0, `only a person can say where "confine: default" goes`},
		{"indented", "  always: keep\n", "", 0, "only a person"},
		{"an end", "always: keep\n...\n", "", 0, "only a person"},
		{"a second document", "always: keep\n---\nx: y\n", "", 0, "only a person"},
		{"a text that would be longer", "x: |\n  a", "", 0, "only a person"},
		{"a text at the end", "x: |\n  a\n", "x: |\n  a\nconfine: default\n", 3, ""},
		{"no mapping", "- a\n", "", 0, "cannot unmarshal"},
		{"broken", "a: [\n", "", 0, "yaml: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			data, line, err := AddSetting(File{Name: "a.yaml", Data: []byte(row.before)}, "confine", "default")
			if row.says != "" {
				if err == nil || !strings.Contains(err.Error(), row.says) || line != row.line || data != nil {
					t.Errorf("%q, line %d, %v; want line %d, %s", data, line, err, row.line, row.says)
				}
				return
			}
			if err != nil || string(data) != row.after || line != row.line {
				t.Errorf("%q, line %d, %v; want %q, line %d", data, line, err, row.after, row.line)
			}
		})
	}
}
