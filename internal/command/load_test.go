package command

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// BenchmarkLoad reads what the first question about a command needs: the names of the programs, and the row
// of one.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		rows, err := indexRows(cutItems(source, "programs"), sets)
		if err != nil || rows.named("grep").reads == nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoadVariables reads what the first question about a variable needs.
func BenchmarkLoadVariables(b *testing.B) {
	for b.Loop() {
		file, err := plainyaml.Read("variables:\n" + cut(source, "variables"))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := readVariables(file.Nodes[0]); err != nil {
			b.Fatal(err)
		}
	}
}
