package plainyaml

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// TestReadsAsYAML holds what is read against the library for YAML, for every file that is read so.
func TestReadsAsYAML(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../command/commands.yaml", "../sensitive/files.yaml", "testdata/forms.yaml"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(string(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var document yaml.Node
		if err := yaml.Unmarshal(data, &document); err != nil {
			t.Fatal(err)
		}
		want := convert(document.Content[0])
		want.Line, want.Column = 1, 1
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-library +ours):\n%s", name, diff)
		}
	}
}

// convert makes nodes of the library's. Those of an entry stand where its key does, those of an item where
// its dash does.
func convert(from *yaml.Node) Node {
	n := Node{Line: from.Line, Column: from.Column, List: from.Kind == yaml.SequenceNode}
	switch from.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(from.Content); i += 2 {
			child := convert(from.Content[i+1])
			child.Key, child.Line, child.Column = from.Content[i].Value, from.Content[i].Line, from.Content[i].Column
			n.Nodes = append(n.Nodes, child)
		}
	case yaml.SequenceNode:
		for _, item := range from.Content {
			child := convert(item)
			child.Column -= 2
			n.Nodes = append(n.Nodes, child)
		}
	default:
		n.Text = from.Value
	}
	return n
}

// TestRefuses has texts that are YAML, or none, and not of the part that is read.
func TestRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x", "a: [1]", "a: {b: c}", "a: &x b", "a: *x", "a: b # c", "a: b: c", "a: 'b", `a: "b`, `a: "b" c`, "a: |\n  b", "a: >\n  b",
		"a: b\n- c", "- a\nb: c", "  a: b", "a:\n    b: c\n  d: e", "a: 'b' 'c'", "? a", "a b: c", "a:b",
		"- # c", "- #: c\n  a: b",
	} {
		if got, err := Read(text); err == nil {
			t.Errorf("%q: read as %+v", text, got)
		}
	}
}

// FuzzRead checks that what is read is what the library reads.
func FuzzRead(f *testing.F) {
	f.Add("a: b\nc:\n  - d: 'e'\n    f: >-\n      g\n      h\n  - i: \"j\"\n")
	f.Add("- a\n- b\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Read(text)
		if err != nil {
			return
		}
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) == 0 {
			return // the library refuses more: tabs, a key that stands twice, bytes that are no text
		}
		want := convert(document.Content[0])
		want.Line, want.Column = 1, 1
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-library +ours):\n%s", text, diff)
		}
	})
}
