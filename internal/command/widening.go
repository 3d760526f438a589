package command

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// OptionEffect is what a program does with the value of an option that says more than a rule for the program
// means; see commands.yaml.
type OptionEffect string

// The effects.
const (
	OptionRuns   OptionEffect = "runs"
	OptionMoves  OptionEffect = "moves"
	OptionObeys  OptionEffect = "obeys"
	OptionLoads  OptionEffect = "loads"
	OptionWrites OptionEffect = "writes"
	// OptionReaches is one by which it goes to another machine than its operands name, or by way of one.
	OptionReaches OptionEffect = "reaches"
	// OptionOverrides is one by which it overwrites or removes what it leaves alone without, or leaves a check out. Words do so,
	// too, and signs in front of a word.
	OptionOverrides OptionEffect = "overrides"
)

var effects = map[string]OptionEffect{
	"runs": OptionRuns, "moves": OptionMoves, "obeys": OptionObeys, "loads": OptionLoads, "writes": OptionWrites,
	"reaches": OptionReaches, "overrides": OptionOverrides,
}

// WideningOption is one option among a program's words that goes, or could go, beyond what a rule means.
type WideningOption struct {
	Does OptionEffect
	Word string
	// Values are what the option's value could be: what stands in the same word, or else the next word.
	// None: there is no value.
	Values []string
}

// Widening finds such options among the words of a program, named without its directory. A word counts
// where it could be read as one: several letters behind a dash, a long name that is cut short.
func (c *Catalogue) Widening(program string, words []string) []WideningOption {
	row := programs().named(program).widens
	if own := c.Added(program); len(own) > 0 {
		row = row.with(own)
	}
	if row == nil {
		row = &wideningRow{}
	}
	var found []WideningOption
	known := programs().named(program).widens
	handedOn := known == nil || known.others // nobody here knows what it does with its options
	for i, word := range words {
		handedOn = handedOn || word == "--"
		if row.files != "" && strings.HasPrefix(word, row.files) {
			found = append(found, WideningOption{Does: OptionRuns, Word: word})
		}
		if slices.ContainsFunc(row.overriding, func(o string) bool { return word == o || len(o) == 1 && strings.HasPrefix(word, o) }) {
			found = append(found, WideningOption{Does: OptionOverrides, Word: word})
		}
		if len(word) < 2 || word[0] != '-' {
			continue
		}
		if values := loads(words[i:], handedOn); len(values) > 0 {
			found = append(found, WideningOption{Does: OptionLoads, Word: word, Values: values})
		}
		for _, o := range row.options {
			if values, ok := o.in(words[i:min(i+2, len(words))]); ok {
				found = append(found, WideningOption{Does: o.does, Word: word, Values: values})
			}
		}
	}
	return found
}

// WordFile returns what stands in front of the name of a file in a word in whose place a program, named without its
// directory, reads the words in that file; "" where it is not known to do that.
func WordFile(program string) string {
	if row := programs().named(program).widens; row != nil {
		return row.files
	}
	return ""
}

// OptionsThatRun returns the long options of a program, named without its directory, whose value it runs,
// loads or obeys.
func OptionsThatRun(program string) (names []string) {
	row := programs().named(program).widens
	if row == nil {
		return nil
	}
	for _, o := range row.options {
		if o.long && (o.does == OptionRuns || o.does == OptionLoads || o.does == OptionObeys) {
			names = append(names, "--"+o.name)
		}
	}
	return names
}

// loading are the parts of names of options that load what their values name; see commands.yaml.
type loading struct {
	names, words, not map[string]bool
	ends, binaries    []string
}

func readLoading(n plainyaml.Node) (loading, error) {
	all := texts(n)
	return loading{names: set(all["names"]), words: set(all["words"]), not: set(all["not"]),
		ends: strings.Fields(all["ends"]), binaries: strings.Fields(all["binaries"])}, nil
}

// loads returns what the option that the words begin with could load: its value, if its name says so, what it
// sets by a name that says so (--set plugin=x), or, of an option that nobody here knows, a file of code.
func loads(words []string, unknown bool) (values []string) {
	named := loadsByName(words[0])
	for _, value := range nextValue(words) {
		name, set, sets := strings.Cut(value, "=")
		switch {
		case named:
			values = append(values, value)
		case sets && loadsByName("-"+name):
			values = append(values, set)
		case unknown && strings.Contains(words[0], "=") && !leavesOut(words[0]) && isCode(value):
			values = append(values, value)
		}
	}
	return values
}

// isCode reports whether a name ends as those of files of code do.
func isCode(name string) bool { return endsAs(name, options().ends) }

// IsBinary reports whether a name ends as those of built programs and libraries do.
func IsBinary(name string) bool { return endsAs(name, options().binaries) }

func endsAs(name string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) })
}

// leavesOut reports whether the name of an option says that it is about what is left out: --ignore=x.js.
func leavesOut(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return slices.ContainsFunc(nameParts(name), func(part string) bool { return options().not[part] })
}

// nameParts returns the parts of an option's name in lower case.
func nameParts(name string) (all []string) {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("-_.", r) }) {
		for _, part := range append(humps(part), part) {
			all = append(all, strings.ToLower(part))
		}
	}
	return all
}

// loadsByName reports whether the name of an option says so: --load-plugins, --pluginDir, but not
// --no-config.
func loadsByName(word string) bool {
	if leavesOut(word) {
		return false
	}
	name, _, _ := strings.Cut(word, "=")
	loads, last := false, ""
	for _, last = range nameParts(name) {
		loads = loads || options().names[last]
	}
	if len(last) < 4 || options().words[last] {
		return loads
	}
	for name := range options().names {
		loads = loads || strings.HasPrefix(name, last)
	}
	return loads
}

// humps cuts a name in front of its capital letters.
func humps(name string) (all []string) {
	from := 0
	for i := 1; i < len(name); i++ {
		if name[i] >= 'A' && name[i] <= 'Z' {
			all, from = append(all, name[from:i]), i
		}
	}
	return append(all, name[from:])
}

// nextValue returns the value of the option that the words begin with: what stands behind its sign =, or the
// next word that is no option; none where there is none.
func nextValue(words []string) []string {
	_, value, given := strings.Cut(words[0], "=")
	switch {
	case given:
		return strings.Split(value, ",")
	case len(words) > 1 && !strings.HasPrefix(words[1], "-"):
		return strings.Split(words[1], ",")
	}
	return nil
}

// wideningRow is what a row says of such options.
type wideningRow struct {
	options []wideningOption
	oneDash bool   // long names stand behind one dash
	others  bool   // it may hand on options that are in no list
	files   string // what stands in front of a file of words; "" where none is one
	// overriding are the words that override, and the signs in front of one.
	overriding []string
}

// with returns the row with options of a person's own file.
func (r *wideningRow) with(own []AddedOption) *wideningRow {
	all := &wideningRow{}
	if r != nil {
		*all = *r
	}
	all.options = slices.Clip(all.options)
	for _, o := range own {
		name := strings.TrimLeft(o.Name, "-")
		long := strings.HasPrefix(o.Name, "--")
		all.options = append(all.options, wideningOption{
			does: o.Does, name: name, long: long, glued: true, oneDash: all.oneDash || len(name) > 1 && !long,
		})
	}
	return all
}

type wideningOption struct {
	does    OptionEffect
	name    string // without its dashes
	value   string // the only value with which it counts; "" for any
	long    bool   // it has two
	glued   bool   // its value may stand right behind it
	oneDash bool   // it is read as a whole behind one dash, too
}

// in reports whether the first of some words could be the option, and what its value could be. It reads as
// if no other option were known.
func (o wideningOption) in(words []string) (values []string, ok bool) {
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
			return values, o.value == "" || slices.Contains(values, o.value)
		}
	}
	rest, ok := strings.CutPrefix(words[0], "-"+o.name)
	return []string{rest, strings.TrimPrefix(rest, "=")}, ok && o.oneDash && o.glued
}

// kind says whether a name is the option's, or a beginning of it.
func (o wideningOption) kind(name string) Kind {
	bare, _, _ := strings.Cut(strings.TrimLeft(name, "-"), ":") // --property:Name=value
	if strings.Contains(o.name, ":") {
		bare = strings.TrimLeft(name, "-")
	}
	if o.oneDash && bare == o.name || !o.long && name == "-"+o.name ||
		o.long && strings.HasPrefix(name, "--") && bare != "" && strings.HasPrefix(o.name, bare) &&
			!strings.Contains(o.name[len(bare):], ".") { // --watch is not --watch.onStart
		return Plain
	}
	return Unknown
}

func readWidening(n plainyaml.Node) (*wideningRow, error) {
	var source, dash, words, others string
	lists := map[OptionEffect]string{}
	keys := map[string]any{"source": &source, "dash": &dash, "words": &words, "others": &others}
	OptionLists(keys, effects, func(does OptionEffect, n plainyaml.Node) error { lists[does] = n.Text; return nil })
	if err := Entries(n, keys); err != nil {
		return nil, err
	}
	if dash != "" && dash != "one" || others != "" && others != "unknown" || source == "" {
		return nil, At(n, "want a source, for dash one or nothing, and for others unknown or nothing")
	}
	r := &wideningRow{oneDash: dash == "one", files: words, others: others == "unknown"}
	for _, does := range []OptionEffect{OptionRuns, OptionMoves, OptionObeys, OptionLoads, OptionWrites, OptionReaches,
		OptionOverrides} {
		for word := range strings.FieldsSeq(lists[does]) {
			if does == OptionOverrides && !strings.HasPrefix(word, "-") {
				r.overriding = append(r.overriding, word)
				continue
			}
			name, value, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
			bare := strings.TrimSuffix(name, "*")
			o := wideningOption{does: does, name: bare, value: value, long: strings.HasPrefix(word, "--"),
				glued: bare != name, oneDash: r.oneDash}
			if bare == "" || !strings.HasPrefix(word, "-") || !o.long && len(bare) > 1 && !r.oneDash {
				return nil, At(n, word+" is no option")
			}
			r.options = append(r.options, o)
		}
	}
	return r, nil
}
