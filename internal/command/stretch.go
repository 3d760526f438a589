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
func (c *Catalogue) Stretches(program string, words []string) []Stretched {
	row := programs().named(program).stretches
	if own := c.Added(program); len(own) > 0 {
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
			if values, ok := o.in(words[i:min(i+2, len(words))]); ok {
				found = append(found, Stretched{How: o.how, Word: word, Values: values})
			}
		}
	}
	return found
}

// RunByStretches returns the long options of a program, named without its directory, whose value it runs or obeys.
func RunByStretches(program string) (names []string) {
	row := programs().named(program).stretches
	if row == nil {
		return nil
	}
	for _, o := range row.options {
		if o.long && (o.how == StretchRuns || o.how == StretchObeys) {
			names = append(names, "--"+o.name)
		}
	}
	return names
}

// stretchedRow is what a row says of such options.
type stretchedRow struct {
	options []stretchingOption
	oneDash bool   // long names stand behind one dash
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
		long := strings.HasPrefix(o.Name, "--")
		all.options = append(all.options, stretchingOption{
			how: o.Does, name: name, long: long, glued: true, oneDash: all.oneDash || len(name) > 1 && !long,
		})
	}
	return all
}

type stretchingOption struct {
	how     Stretch
	name    string // without its dashes
	long    bool   // it has two
	glued   bool   // its value may stand right behind it
	oneDash bool   // it is read as a whole behind one dash, too
}

// in reports whether the first of some words could be the option, and what its value could be. It reads as
// if no other option were known.
func (o stretchingOption) in(words []string) (values []string, ok bool) {
	p := Reader{Parser: GetoptLong, Kind: o.kind, Words: words, Loose: true}
	if o.oneDash {
		p.Parser = Long
	}
	for _, read := range p.Next().Options {
		for _, value := range read.Values {
			values = append(values, value.Text)
			if behind, sign := strings.CutPrefix(value.Text, "="); sign && !value.Own {
				values = append(values, behind)
			}
		}
		if read.Kind == Plain {
			return values, true
		}
	}
	rest, ok := strings.CutPrefix(words[0], "-"+o.name)
	return []string{rest, strings.TrimPrefix(rest, "=")}, ok && o.oneDash && o.glued
}

// kind says whether a name is the option's, or a beginning of it.
func (o stretchingOption) kind(name string) Kind {
	bare := strings.TrimLeft(name, "-")
	if o.oneDash && bare == o.name || !o.long && name == "-"+o.name ||
		o.long && strings.HasPrefix(name, "--") && bare != "" && strings.HasPrefix(o.name, bare) {
		return Plain
	}
	return Unknown
}

func readStretched(n plainyaml.Node) (*stretchedRow, error) {
	var source, dash, words string
	var lists [4]string
	if err := Entries(n, map[string]any{
		"source": &source, "dash": &dash, "words": &words,
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
			o := stretchingOption{how: how, name: bare, long: strings.HasPrefix(word, "--"), glued: bare != name,
				oneDash: r.oneDash}
			if bare == "" || name == word || !o.long && len(bare) > 1 && !r.oneDash {
				return nil, At(n, word+" is no option")
			}
			r.options = append(r.options, o)
		}
	}
	return r, nil
}
