package command

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// BenchmarkLoad reads what the first question about a command needs: the names of the programs, and the row
// of one.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		rows, err := readPrograms(cutItems(source, "programs"))
		if err != nil || rows.named("grep") == nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoadWords does so for what a program does with each of its words.
func BenchmarkLoadWords(b *testing.B) {
	for b.Loop() {
		if items := cutItems(source, "words"); len(items) < 100 || len(items[0].Node().Nodes) == 0 {
			b.Fatal(len(items))
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
