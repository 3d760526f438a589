package render

import (
	"encoding/json"
	"testing"
)

func TestTree(t *testing.T) {
	t.Parallel()
	text := func(source string) *Tree {
		compiled, err := CompileText(source)
		if err != nil {
			t.Fatal(err)
		}
		return &Tree{Text: compiled}
	}
	tree := &Tree{Object: map[string]*Tree{
		"path": text("{{path}}"), "tried": {List: []*Tree{text("a {{path}}"), {Literal: json.Number("7")}}}, "none": {}, "empty": {List: []*Tree{}},
	}}
	got, err := tree.Render(map[string]any{"path": `{{x}}"`})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(got)
	if want := `{"empty":[],"none":null,"path":"{{x}}\"","tried":["a {{x}}\"",7]}`; err != nil || string(encoded) != want {
		t.Errorf("got %s, %v; want %s", encoded, err, want)
	}
}
