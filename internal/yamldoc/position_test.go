package yamldoc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScriptPlace maps places in a script to places in the file.
func TestScriptPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		line       int
		want       [2]int
	}{
		{"literal", "a:\n  script: |\n    one\n    two\n", 2, [2]int{4, 7}},
		{"literal with windows line ends", "a:\r\n  script: |\r\n    one\r\n    two\r\n", 2, [2]int{4, 7}},
		{"literal behind blank lines", "a:\n  script: |\n\n\n    one\n", 3, [2]int{5, 7}},
		{"literal that keeps its end", "a:\n  script: |+ # why\n    one\n\n    two\n\n", 3, [2]int{5, 7}},
		{"literal with an indentation of its own", "a:\n  script: |1\n     one\n", 1, [2]int{3, 6}},
		{"literal with an anchor on a line before", "a:\n  script: &x\n    |\n    one\n", 1, [2]int{4, 7}},
		{"literal behind letters of two bytes", "é:\n  script: |\n    öne\n", 1, [2]int{3, 7}},
		{"folded", "a:\n  script: >\n    one\n    two\n", 1, [2]int{2, 11}},
		{"double quotes", "a:\n  script: \"one\\ntwo\"\n", 2, [2]int{2, 11}},
		{"double quotes, and a block that it could be taken for", "a:\n  script: \"x |\"\n  name: x |\n", 1,
			[2]int{2, 14}},
		{"plain", "a:\n  script: one\n", 1, [2]int{2, 13}},
		{"single quotes", "a:\n  script: 'one'\n", 1, [2]int{2, 14}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := Parse("x.yaml", []byte(test.data), Options{})
			root, ok := doc.Root("")
			if !ok {
				t.Fatal(doc.Found)
			}
			entries, _ := root.Entries()
			script, ok := entries[0].Value.Get("script")
			if !ok {
				t.Fatal("no script")
			}
			line, column := script.placeOf(test.line, 3)
			if diff := cmp.Diff(test.want, [2]int{line, column}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
