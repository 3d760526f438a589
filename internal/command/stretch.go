package command

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// Stretch is what an option of a program says that goes beyond what a rule for the program means; see
// commands.yaml.
type Stretch string

// The ways.
const (
	StretchRuns   Stretch = "runs"
	StretchMoves  Stretch = "moves"
	StretchObeys  Stretch = "obeys"
	StretchWrites Stretch = "writes"
)

// Stretched is one option among a program's words that goes, or could go, beyond what a rule means.
type Stretched struct {
	How  Stretch
	Word string
	// Values are what the option's value could be: what stands in the same word, or else the next word.
	// None: there is no value.
	Values []string
}

// Stretches finds such options among the words of a program, named without its directory. A word counts
// where it could be read as one: several letters behind a dash, a long name that is cut short.
func Stretches(program string, words []string) []Stretched {
	row := stretched()[program]
	if own := Added(program); len(own) > 0 {
		row = row.with(own)
	}
	if row == nil {
		return nil
	}
	var found []Stretched
	for i, word := range words {
		if row.files != "" && strings.HasPrefix(word, row.files) {
			found = append(found, Stretched{How: StretchRuns, Word: word})
		}
		if len(word) < 2 || word[0] != '-' {
			continue
		}
		for _, o := range row.options {
			values, ok := o.in(word, row.oneDash)
			if !ok {
				continue
			}
			if len(values) == 0 && i+1 < len(words) {
				values = words[i+1 : i+2]
			}
			found = append(found, Stretched{How: o.how, Word: word, Values: values})
		}
	}
	return found
}

// stretchedRow is a row of stretched.
type stretchedRow struct {
	options []stretchingOption
	oneDash bool
	files   string // what stands in front of a file of words; "" where none is one
}

// with returns the row with options of a person's own file.
func (r *stretchedRow) with(own []AddedOption) *stretchedRow {
	all := &stretchedRow{}
	if r != nil {
		*all = *r
	}
	all.options = slices.Clip(all.options)
	for _, o := range own {
		name := strings.TrimLeft(o.Name, "-")
		all.options = append(all.options, stretchingOption{
			how: o.Does, name: name, long: strings.HasPrefix(o.Name, "--"), glued: true, oneDash: len(name) > 1 &&
				!strings.HasPrefix(o.Name, "--"),
		})
	}
	return all
}

type stretchingOption struct {
	how   Stretch
	name  string // without its dashes
	long  bool   // it has two
	glued bool   // its value may stand right behind it
	// oneDash tells of an option of several letters behind one dash in a row whose others are letters.
	oneDash bool
}

// in reports whether a word could be the option, and gives its value if it stands in the same word.
func (o stretchingOption) in(word string, oneDash bool) (values []string, ok bool) {
	name, value, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
	oneDash = oneDash || o.oneDash
	if given {
		values = []string{value}
	}
	switch {
	case oneDash && name == o.name:
		return values, true
	case oneDash && !strings.HasPrefix(word, "--"):
		rest, glued := strings.CutPrefix(word[1:], o.name)
		return []string{rest, strings.TrimPrefix(rest, "=")}, o.glued && glued
	case strings.HasPrefix(word, "--"):
		return values, o.long && name != "" && strings.HasPrefix(o.name, name)
	case o.long:
		return nil, false
	}
	_, rest, found := strings.Cut(word[1:], o.name)
	if rest == "" {
		return nil, found
	}
	return []string{rest, strings.TrimPrefix(rest, "=")}, found
}

func readStretched(n plainyaml.Node) (map[string]*stretchedRow, error) {
	all := map[string]*stretchedRow{}
	for _, item := range n.Nodes {
		row, err := readStretchedRow(item)
		if err != nil {
			return nil, err
		}
		for _, name := range names(item) {
			if all[name] != nil {
				return nil, At(item, name+" has two rows")
			}
			all[name] = row
		}
	}
	return all, nil
}

func readStretchedRow(n plainyaml.Node) (*stretchedRow, error) {
	var names, source, dash, words string
	var lists [4]string
	if err := Entries(n, map[string]any{
		"names": &names, "source": &source, "dash": &dash, "words": &words,
		"runs": &lists[0], "moves": &lists[1], "obeys": &lists[2], "writes": &lists[3],
	}); err != nil {
		return nil, err
	}
	if dash != "" && dash != "one" || source == "" {
		return nil, At(n, "want a source, and for dash one or nothing")
	}
	r := &stretchedRow{oneDash: dash == "one", files: words}
	for i, how := range []Stretch{StretchRuns, StretchMoves, StretchObeys, StretchWrites} {
		for word := range strings.FieldsSeq(lists[i]) {
			name := strings.TrimLeft(word, "-")
			bare := strings.TrimSuffix(name, "*")
			o := stretchingOption{how: how, name: bare, long: strings.HasPrefix(word, "--"), glued: bare != name}
			if bare == "" || name == word || !o.long && len(bare) > 1 && !r.oneDash {
				return nil, At(n, word+" is no option")
			}
			r.options = append(r.options, o)
		}
	}
	return r, nil
}
