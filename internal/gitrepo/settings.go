package gitrepo

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed settings.yaml
var embedded []byte

// Variable is a variable of the environment, or a setting.
type Variable struct{ Name, Value string }

// table is settings.yaml, read.
type table struct {
	switches, variables []Variable // by name
	builtins            map[string]bool
	byKey               map[string][]*row // rows whose keys hold no *, by key
	patterns            []keyPattern
}

// row is what is said of some settings.
type row struct {
	value           *regexp.Regexp // nil: see kind
	kind            string         // any, file, path or include
	writes, fetches bool           // the row does not hold for commands that do
	switchedOff     bool
}

// keyPattern is a key with a * for its subsection, at its end, or both.
type keyPattern struct {
	section    string
	subsection bool   // there has to be one
	name       string // what it begins with, where open
	open       bool
	row        *row
}

// read reads the table when the first command of git's is decided about, and not when the program starts.
var read = sync.OnceValue(func() *table {
	t, err := parse(embedded)
	if err != nil {
		panic(fmt.Sprintf("settings.yaml, which is a part of this program: %v", err)) // TestTable
	}
	return t
})

func parse(data []byte) (*table, error) {
	var file struct {
		Switches  map[string]string `yaml:"switches"`
		Variables map[string]string `yaml:"variables"`
		Builtins  string            `yaml:"builtins"`
		Settings  []struct {
			Keys        string `yaml:"keys"`
			Value       string `yaml:"value"`
			Unless      string `yaml:"unless"`
			SwitchedOff bool   `yaml:"switched_off"`
			Because     string `yaml:"because"`
		} `yaml:"settings"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return nil, err
	}
	t := &table{switches: sorted(file.Switches), variables: sorted(file.Variables),
		builtins: map[string]bool{}, byKey: map[string][]*row{}}
	for name := range strings.FieldsSeq(file.Builtins) {
		t.builtins[name] = true
	}
	for _, written := range file.Settings {
		r := &row{kind: written.Value, switchedOff: written.SwitchedOff}
		switch text := written.Value; {
		case text == "":
			r.kind = "any"
		case len(text) > 1 && text[0] == '/' && text[len(text)-1] == '/':
			value, err := regexp.Compile(`\A(?:` + text[1:len(text)-1] + `)\z`)
			if err != nil {
				return nil, err
			}
			r.value = value
		case text != "file" && text != "path" && text != "include":
			return nil, fmt.Errorf("%s: the value %q is of no kind", written.Keys, text)
		}
		for reason := range strings.FieldsSeq(written.Unless) {
			switch reason {
			case "writes":
				r.writes = true
			case "fetches":
				r.fetches = true
			default:
				return nil, fmt.Errorf("%s: unless %q", written.Keys, reason)
			}
		}
		for key := range strings.FieldsSeq(written.Keys) {
			if err := t.add(key, r); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// add files a row under one of its keys.
func (t *table) add(key string, r *row) error {
	parts := strings.Split(key, ".")
	if key != strings.ToLower(key) || len(parts) < 2 || len(parts) > 3 || parts[0] == "" ||
		strings.Contains(parts[0], "*") || len(parts) == 3 && parts[1] != "*" {
		return fmt.Errorf("%q is not the name of a setting", key)
	}
	if !strings.Contains(key, "*") {
		t.byKey[key] = append(t.byKey[key], r)
		return nil
	}
	name, open := strings.CutSuffix(parts[len(parts)-1], "*")
	t.patterns = append(t.patterns, keyPattern{section: parts[0], subsection: len(parts) == 3, name: name,
		open: open, row: r})
	return nil
}

func sorted(values map[string]string) []Variable {
	var all []Variable
	for name, value := range values {
		all = append(all, Variable{name, value})
	}
	slices.SortFunc(all, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// rows returns what is said of a setting.
func (t *table) rows(key string) []*row {
	rows := slices.Clone(t.byKey[key])
	var open []*row
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	section, name := key[:first], key[last+1:]
	for _, p := range t.patterns {
		switch {
		case p.section != section || p.subsection != (first < last):
		case !p.open && name == p.name:
			rows = append(rows, p.row)
		case p.open && strings.HasPrefix(name, p.name):
			open = append(open, p.row)
		}
	}
	if len(rows) == 0 {
		return open
	}
	return rows
}

func switches() []Variable       { return slices.Clone(read().switches) }
func fixedVariables() []Variable { return slices.Clone(read().variables) }

// Switches are the variables that keep git from running what a repository's settings name, as far as one
// setting for all repositories can (git-config(1), GIT_CONFIG_COUNT).
func Switches() []Variable {
	return append(configVariables(switches(), 0), fixedVariables()...)
}

// configVariables gives settings as variables, from that number on.
func configVariables(settings []Variable, first int) []Variable {
	all := []Variable{{"GIT_CONFIG_COUNT", fmt.Sprint(first + len(settings))}}
	for i, s := range settings {
		all = append(all, Variable{fmt.Sprintf("GIT_CONFIG_KEY_%d", first+i), s.Name},
			Variable{fmt.Sprintf("GIT_CONFIG_VALUE_%d", first+i), s.Value})
	}
	return all
}
