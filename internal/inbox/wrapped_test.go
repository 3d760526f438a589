package inbox

import (
	"slices"
	"strings"
	"testing"
)

// TestWrapped breaks lines between words, leaves nothing out, and is never wider than it may be.
func TestWrapped(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		line string
		most int
		want []string
	}{
		{"", 10, []string{""}},
		{"short", 10, []string{"short"}},
		{"because it cannot be told", 12, []string{"because it ", "cannot be ", "told"}},
		{"two  blanks at the edge", 12, []string{"two  blanks ", "at the edge"}},
		{"averylongwordthatfitsnowhere", 10, []string{"averylongw", "ordthatfit", "snowhere"}},
		{"a averylongwordthatfitsnowhere", 10, []string{"a averylon", "gwordthatf", "itsnowhere"}},
		{"日本語の文", 5, []string{"日本", "語の", "文"}},
		{"日本", 1, []string{"日", "本"}},
	} {
		got := wrapped(row.line, row.most)
		if !slices.Equal(got, row.want) {
			t.Errorf("%q, %d wide: %q, want %q", row.line, row.most, got, row.want)
		}
		if strings.Join(got, "") != row.line {
			t.Errorf("%q, %d wide: something is left out: %q", row.line, row.most, got)
		}
	}
	if got := clip("because it cannot be told", 12); got != "because it.." {
		t.Errorf("clip: %q", got)
	}
}
