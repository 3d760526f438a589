package yamldoc

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFind follows the names that a rule's own check gives to its fields.
func TestFind(t *testing.T) {
	t.Parallel()
	doc := Parse("p.yaml", []byte("a:\n  b: [x, y,\n      z]\n  c: {d: 1}\n"), Options{})
	root, _ := doc.Root("")
	root.Name = `rule "r"`
	tests := []struct {
		path string
		want string
	}{
		{"", `1:1 rule "r"`},
		{"a", `2:3 rule "r": a`},
		{"a.b[0]", `2:7 rule "r": a.b[0]`},
		{"a.b[2]", `3:7 rule "r": a.b[2]`},
		{"a.b[3]", `2:6 rule "r": a.b`},
		{"a.b[-1]", `2:6 rule "r": a.b`},
		{"a.b[", `2:6 rule "r": a.b`},
		{"a.b.c", `2:6 rule "r": a.b`},
		{"a.c.d", `4:10 rule "r": a.c.d`},
		{"a..c", `2:3 rule "r": a`},
		{"nothing[1].x", `1:1 rule "r"`},
		{"[0]", `1:1 rule "r"`},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			got := root.Find(test.path)
			if diff := cmp.Diff(test.want, fmt.Sprintf("%d:%d %s", got.Node.Line, got.Node.Column,
				got.Name)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
