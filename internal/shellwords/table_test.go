package shellwords

import (
	"slices"
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

// TestRunsCodeIsWhole checks that a program which runs code of a language of its own is covered by a rule
// only where the rule spells the whole command. Code for a shell, and what a makefile or settings hold,
// shellscan tells by itself.
func TestRunsCodeIsWhole(t *testing.T) {
	t.Parallel()
	read := []Language{Data, Shell, Settings, Makefile, Arguments, Arithmetic}
	// Rules of every day name these: their words choose what runs, and a rule that names one means that.
	everyday := strings.Fields(`npx bunx pnpx uvx npm pnpm yarn go java jshell tex latex pdflatex xelatex lualatex dart crystal kotlin ghc ocaml
		nodemon chokidar watchexec onchange watchman-make cargo-watch expr`)
	for name := range table() {
		p := rowOf(name)
		runs := !slices.Contains(read, p.stdin)
		for _, s := range p.operands {
			runs = runs || (s.kind == Code || s.kind == CodeFile) && !slices.Contains(read, s.language)
		}
		whole := catalogue.In(catalogue.WholeCommands, name) || catalogue.In(catalogue.WholeCommands, strings.TrimRight(name, "0123456789.-"))
		if runs && !whole && !slices.Contains(everyday, name) {
			t.Errorf("%s runs code, and a rule that names it covers all of its words", name)
		}
	}
}
