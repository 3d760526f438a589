package shellwords

import (
	"maps"
	"slices"
	"strings"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// textOf returns the text of an entry of a row.
func textOf(row plainyaml.Node, key string) string {
	for _, entry := range row.Nodes {
		if entry.Key == key {
			return entry.Text
		}
	}
	return ""
}

// readProgram reads what a row says of words.
func readProgram(n plainyaml.Node) (*program, error) {
	p := &program{}
	names, like := "", ""
	keys := map[string]any{
		"names": &names, "like": &like, "reader": &p.reader, "flags": &p.flags, "stdin": (*string)(&p.stdin),
		"inert": &p.inert, "safe": &p.safe, "plain": &p.plain, "input": &p.input, "brings": &p.brings,
		"stops": &p.stops, "plus": &p.plus, "parser": (*string)(&p.parser), "no_end": &p.noEnd,
		"environ": &p.environ,
		"mixed":   &p.mixed, "joined": &p.joined, "always": &p.always, "launcher": &p.launcher,
		"opaque": func(n plainyaml.Node) error {
			return catalogue.Entries(n, map[string]any{"options": &p.opaque, "why": &p.why, "unless": &p.unless})
		},
		"options":     p.readOptions,
		"operands":    func(n plainyaml.Node) (err error) { p.operands, err = readSlots(n); return err },
		"instead":     func(n plainyaml.Node) (err error) { p.instead, err = readSlots(n); return err },
		"subcommands": p.readSubcommands,
	}
	catalogue.OptionLists(keys, listedValues, func(s slot, n plainyaml.Node) error { return p.addOptions(n, n.Text, s) })
	err := catalogue.Entries(n, keys)
	if err != nil || like == "" {
		return p, err
	}
	for _, row := range catalogue.Like() {
		if textOf(row, "names") == like {
			return readProgram(row)
		}
	}
	return nil, catalogue.At(n, "no row is named "+like)
}

func (p *program) readOptions(n plainyaml.Node) error {
	for _, item := range n.Nodes {
		s, names, err := readSlot(item)
		if err == nil {
			err = p.addOptions(item, names, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *program) addOptions(n plainyaml.Node, names string, s slot) error {
	if p.options == nil {
		p.options = options{}
	}
	for name := range strings.FieldsSeq(names) {
		if _, twice := p.options[name]; twice {
			return catalogue.At(n, name+" stands there twice")
		}
		p.options[name] = s
	}
	return nil
}

func (p *program) readSubcommands(n plainyaml.Node) error {
	p.subcommands = map[string]*program{}
	for _, item := range n.Nodes {
		sub, err := readProgram(item)
		if err != nil {
			return err
		}
		for name := range strings.FieldsSeq(textOf(item, "names")) {
			p.subcommands[name] = sub
		}
	}
	return nil
}

// readSlots reads a list of roles: their values with commas between them, or items that say more.
func readSlots(n plainyaml.Node) ([]slot, error) {
	var all []slot
	for value := range strings.SplitSeq(n.Text, ", ") {
		if n.Text != "" {
			n.Nodes = append(n.Nodes, plainyaml.Node{
				Line: n.Line, Column: n.Column, Nodes: []plainyaml.Node{{Key: "value", Text: value}},
			})
		}
	}
	for _, item := range n.Nodes {
		s, _, err := readSlot(item)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// listedValues are those of options of which no more is said than that.
var listedValues = map[string]slot{
	"text": values["text"], "output": values["output"], "program": values["program"], "variable": values["variable"],
}

// values are what a row calls the roles of words.
var values = map[string]slot{
	"text": plain, "output": {kind: Argument, dash: true, writes: true}, "operand": operand, "free": free,
	"program": {kind: Program},
	"tool":    {kind: CodeFile, cure: "name the file in the script", starts: true},
	"code":    {kind: Code}, "file": {kind: CodeFile, cure: "name the file in the script"},
	"variable": {kind: Variable, cure: "write the variable's name in the script"}, "format": {kind: Format},
	"option":    {kind: AnyOption},
	"written":   {kind: Operand, writes: true},
	"directory": {kind: Argument, dash: true, enters: true}, "entered": {kind: Operand, enters: true},
}

func readSlot(n plainyaml.Node) (s slot, names string, err error) {
	value, language, in := strings.Cut(textOf(n, "value"), " in ")
	s, known := values[value]
	if s.language = Language(language); !known || in != (s.kind == Code || s.kind == CodeFile) {
		return s, "", catalogue.At(n, "want a value: one of "+strings.Join(sortedKeys(values), ", ")+
			"; code and file are in a language")
	}
	takes, cure := "", ""
	err = catalogue.Entries(n, map[string]any{
		"names": &names, "value": &value, "takes": &takes, "glued": &s.glued,
		"beside": &s.beside, "ends": &s.ends,
		"dash": &s.dash, "remote": &s.remote, "check": &s.check, "files": &s.files, "harmless": &s.plain,
		"caution": &s.caution, "obeyed": &s.obeyed,
		"at_start": &s.atStart, "cure": &cure,
	})
	if takes == "2" {
		s.words = 2
	} else if takes != "" && err == nil {
		err = catalogue.At(n, "takes is 2 or nothing")
	}
	for _, text := range []*string{&s.caution, &s.atStart, &cure} {
		*text = catalogue.Cure(*text)
	}
	if cure != "" {
		s.cure = cure
	}
	return s, names, err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
