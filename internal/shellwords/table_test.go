package shellwords

import (
	"strings"
	"testing"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
)

// TestTable reads every row, and checks that no program has two.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, item := range catalogue.Roles() {
		row := item.Node()
		p, err := readProgram(row)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.reader != "" && p.special() == nil {
			t.Errorf("%s: there is no reader %s", textOf(row, "names"), p.reader)
		}
		if item.Names != textOf(row, "names") {
			t.Errorf("the names of %q are read as %q", textOf(row, "names"), item.Names)
		}
		for name := range strings.FieldsSeq(item.Names) {
			if seen[name] {
				t.Errorf("%s has two rows", name)
			}
			seen[name] = true
		}
	}
}
