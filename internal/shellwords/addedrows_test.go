package shellwords

import (
	"testing"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
)

// What a person's file says of options counts for words of which a row says less, and never for those of
// which it says more.
func TestAddedOptions(t *testing.T) {
	t.Parallel()
	added, err := catalogue.Read("commands.yaml", []byte(`version: 1
programs:
  - names: frob, curl
    code: --eval -e
    obeys: --rc
    writes: --out
  - names: bash
    writes: -c
  - names: head
    code: --eval
`))
	if err != nil {
		t.Fatal(err)
	}
	value := func(before string) Word { return Word{Text: before} }
	fixed := func(text string) Word { return Word{Text: text, Fixed: true} }
	for _, c := range []struct {
		name  string
		words []Word
		want  Kind
		write bool
	}{
		{"code", []Word{fixed("frob"), fixed("--eval"), value("")}, Code, false},
		{"glued", []Word{fixed("frob"), value("--eval=")}, Code, false},
		{"a letter's", []Word{fixed("frob"), value("-e")}, Code, false},
		{"a letter's among others", []Word{fixed("frob"), fixed("-xe"), value("")}, Code, false},
		{"cut short", []Word{fixed("frob"), fixed("--ev"), value("")}, Code, false},
		{"a file of code", []Word{fixed("frob"), fixed("--rc"), value("")}, CodeFile, false},
		{"a file", []Word{fixed("frob"), fixed("--out"), value("")}, Operand, true},
		{"data as before", []Word{fixed("frob"), value("")}, Operand, false},
		{"an option that a row knows", []Word{fixed("curl"), fixed("-e"), value("")}, Code, false},
		{"code stays code", []Word{fixed("bash"), fixed("-c"), value("")}, Code, false},
		{"behind another program", []Word{fixed("env"), fixed("A=b"), fixed("frob"), fixed("--eval"), value("")}, Code, false},
	} {
		roles := Read(c.words, added).Roles
		if last := roles[len(roles)-1]; last.Kind != c.want || last.Writes != c.write {
			t.Errorf("%s: %s, writes %t; want %s, %t", c.name, last.Kind, last.Writes, c.want, c.write)
		}
	}
	items := []Word{fixed("xargs"), fixed("-0"), fixed("head")}
	if got := Read(items, nil).Stdin; got != Data {
		t.Errorf("what xargs -0 head reads is %s, want data", got)
	}
	if got := Read(items, added).Stdin; got != Arguments {
		t.Errorf("what xargs -0 gives a program with an option that runs code is %s, want arguments", got)
	}
}
