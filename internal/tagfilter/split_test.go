package tagfilter

import (
	"slices"
	"testing"
)

// TestSplit checks that a bar in quotes splits nothing, whatever quotes are not closed.
func TestSplit(t *testing.T) {
	t.Parallel()
	for inner, want := range map[string][]string{
		"":                         {""},
		"name":                     {"name"},
		"name|tojson":              {"name", "tojson"},
		"name | default('a|b') |x": {"name ", " default('a|b') ", "x"},
		`name|default("'|'")|x`:    {"name", `default("'|'")`, "x"},
		"name|default('|":          {"name", "default('|"},
		"|":                        {"", ""},
	} {
		if got := Split(inner); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", inner, got, want)
		}
	}
}
