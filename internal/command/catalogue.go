package command

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed commands.yaml
var source []byte

// rows are those of the catalogue.
type rows struct {
	byName  map[string]*Row
	inOrder []*Row
	// stretched are the rows of programs that a person's own rules name.
	stretched map[string]*stretchedRow
}

// catalogue is commands.yaml, read.
var catalogue = sync.OnceValue(func() rows {
	all, err := load(source)
	if err != nil {
		panic(fmt.Sprintf("commands.yaml, which is a part of this program: %v", err)) // TestCatalogue
	}
	return all
})

// Lookup finds the row of a program, and how many of its arguments name it: that of git stash list before that of git. A
// program that is named by its path is only known where the system's own programs lie. The row is nil where there is none.
func Lookup(name string, args []string) (row *Row, named int) {
	if dir, base := filepath.Split(name); dir != "" {
		if dir != "/bin/" && dir != "/usr/bin/" {
			return nil, 0
		}
		name = base
	}
	for n := min(2, len(args)); n > 0; n-- {
		if row := catalogue().byName[name+" "+strings.Join(args[:n], " ")]; row != nil {
			return row, n
		}
	}
	return catalogue().byName[name], 0
}

// Named gives the row of exactly that name, nil where there is none: "git diff".
func Named(name string) *Row { return catalogue().byName[name] }

// Rows lists every row once, in the order of the file.
func Rows() []*Row { return catalogue().inOrder }

// version is that of the form of the file.
const version = 1

// written is the file as it is written.
type written struct {
	Version int                          `yaml:"version"`
	Sets    map[string]map[string]string `yaml:"sets"`
	Rows    []writtenRow                 `yaml:"programs"`
	Stretch []writtenStretch             `yaml:"stretched"`
}

type writtenRow struct {
	Names         string            `yaml:"names"`
	Parser        Parser            `yaml:"parser"`
	Verified      string            `yaml:"verified"`
	Options       map[string]string `yaml:"options"`
	Sets          string            `yaml:"sets"`
	Operands      Operands          `yaml:"operands"`
	Language      string            `yaml:"language"`
	Trees         string            `yaml:"trees"`
	Hidden        string            `yaml:"hidden"`
	Links         bool              `yaml:"links"`
	Check         string            `yaml:"check"`
	NoOptionHarms bool              `yaml:"no_option_harms"`
}

func load(data []byte) (rows, error) {
	var file written
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return rows{}, err
	}
	if file.Version != version {
		return rows{}, fmt.Errorf("version: want %d, got %d", version, file.Version)
	}
	all := rows{byName: map[string]*Row{}, stretched: map[string]*stretchedRow{}}
	for _, w := range file.Rows {
		row, err := w.row(file.Sets)
		if err != nil {
			return rows{}, fmt.Errorf("%s: %w", w.Names, err)
		}
		all.inOrder = append(all.inOrder, row)
		for _, name := range row.Names {
			if all.byName[name] != nil {
				return rows{}, fmt.Errorf("%s has two rows", name)
			}
			all.byName[name] = row
		}
	}
	for _, w := range file.Stretch {
		row, err := w.row()
		if err != nil {
			return rows{}, fmt.Errorf("stretched: %s: %w", w.Names, err)
		}
		for name := range strings.SplitSeq(w.Names, ",") {
			name = strings.TrimSpace(name)
			if all.stretched[name] != nil {
				return rows{}, fmt.Errorf("stretched: %s has two rows", name)
			}
			all.stretched[name] = row
		}
	}
	return all, nil
}

// row makes a row of what is written.
func (w writtenRow) row(sets map[string]map[string]string) (*Row, error) {
	r := &Row{
		Parser: w.Parser, Verified: w.Verified, Operands: w.Operands, Language: w.Language, Check: w.Check, Links: w.Links, NoOptionHarms: w.NoOptionHarms,
		options: map[string]Kind{},
	}
	for name := range strings.SplitSeq(w.Names, ",") {
		r.Names = append(r.Names, strings.TrimSpace(name))
	}
	switch r.Parser {
	case Getopt, GetoptLong, OptionsFirst, Git, Letters, Tar, Words, Find, None:
	default:
		return nil, fmt.Errorf("parser: %q is none", r.Parser)
	}
	switch r.Operands {
	case "":
		r.Operands = Files
	case Files, Texts, InputOutput, Formats, Nothing, Revisions:
	default:
		return nil, fmt.Errorf("operands: %q are none", r.Operands)
	}
	own := map[string]Kind{}
	for kind, names := range w.Options {
		if err := r.list(own, kind, names); err != nil {
			return nil, fmt.Errorf("options: %s: %w", kind, err)
		}
	}
	for name := range strings.FieldsSeq(w.Sets) {
		if sets[name] == nil {
			return nil, fmt.Errorf("sets: there is no set %q", name)
		}
		for kind, names := range sets[name] {
			if err := r.list(r.options, kind, names); err != nil {
				return nil, fmt.Errorf("sets: %s: %s: %w", name, kind, err)
			}
		}
	}
	maps.Copy(r.options, own)
	for _, all := range []struct {
		text string
		in   *readsAll
	}{{w.Trees, &r.trees}, {w.Hidden, &r.hidden}} {
		*all.in = readsAll{always: all.text == "always", options: map[string]bool{}}
		if all.in.always {
			continue
		}
		for name := range strings.FieldsSeq(all.text) {
			if r.options[name] == Unknown {
				return nil, fmt.Errorf("%s is no option of the row", name)
			}
			all.in.options[name] = true
		}
	}
	return r, nil
}

// list adds the options of one kind to others.
func (r *Row) list(to map[string]Kind, kind, names string) error {
	k, known := kinds[kind]
	if !known {
		return errors.New("there is no such kind")
	}
	for word := range strings.FieldsSeq(names) {
		all := []string{word}
		if !strings.HasPrefix(word, "--") && r.Parser != Words && r.Parser != Find {
			all = all[:0]
			for _, letter := range word[1:] {
				all = append(all, "-"+string(letter))
			}
		}
		for _, name := range all {
			if other := to[name]; other != Unknown && other != k {
				return fmt.Errorf("%s stands there twice", name)
			}
			to[name] = k
		}
	}
	return nil
}
