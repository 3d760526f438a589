package shellwords

import (
	"slices"
	"strings"
	"testing"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
)

// TestTable reads every row.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, name := range catalogue.Names() {
		if p := rowOf(name); p != nil && p.reader != "" && p.special() == nil {
			t.Errorf("%s: there is no reader %s", name, p.reader)
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
		nodemon dotnet chokidar watchexec onchange watchman-make cargo-watch expr`)
	for _, name := range catalogue.Names() {
		p := rowOf(name)
		if p == nil {
			continue
		}
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
