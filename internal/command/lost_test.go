package command

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

var update = flag.Bool("update", false, "write testdata/facts.txt anew: then there are more facts, or fewer")

// TestNoFactIsLost holds how many facts of each kind commands.yaml has against how many it had. Tests of what they come to
// have some of each kind; a name that an edit takes out of one of the long lists, or moves to another, is seen here.
func TestNoFactIsLost(t *testing.T) {
	t.Parallel()
	root, err := plainyaml.Read(source)
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]int{}
	count(facts, "", root)
	var lines strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(facts)) {
		fmt.Fprintf(&lines, "%s %d\n", kind, facts[kind])
	}
	file := filepath.Join("testdata", "facts.txt")
	if *update {
		if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), lines.String()); diff != "" {
		t.Errorf("the catalogue has other facts than it had; where that is meant, go test ./internal/command -update (-want +got)\n%s", diff)
	}
}

// said are the kinds of facts that are sentences.
var said = []string{"caution", "cure", "why", "input", "source", "verified", "at_start", "in_tools", "opaque", "says"}

// chosen are the kinds whose words are each one of few: a word for another is a loss, too.
var chosen = []string{"reads.operands", "words.operands", "operands.value", "options.value", "words.stdin", "variables.effect"}

// count adds up the words below a node by their kind, which is their place without what the entry is called: of options
// that stand in a row behind one dash, each letter is one, and so is a sentence.
func count(facts map[string]int, kind string, n plainyaml.Node) {
	is := func(suffix string) bool { return strings.HasSuffix("."+kind, "."+suffix) }
	switch {
	case n.Text != "" && slices.ContainsFunc(said, is):
		facts[kind]++
		return
	case n.Text != "" && slices.ContainsFunc(chosen, is):
		facts[kind+": "+n.Text]++
		return
	}
	for _, word := range strings.Fields(n.Text) {
		facts[kind]++
		if len(word) > 1 && word[0] == '-' && word[1] != '-' {
			facts[kind] += len(word) - 2
		}
	}
	for _, below := range n.Nodes {
		switch {
		case below.Key == "":
			count(facts, kind, below)
		case strings.Contains(kind, ".subcommands") || strings.Contains(kind, ".groups"): // their keys are names
			facts[kind]++
			count(facts, kind, below)
		default:
			count(facts, strings.TrimPrefix(kind+"."+below.Key, "."), below)
		}
	}
}
