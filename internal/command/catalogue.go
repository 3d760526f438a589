package command

import (
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

//go:embed commands.yaml
var source string

// The sections of commands.yaml, each read when it is first asked.
var (
	programs = sync.OnceValue(func() rows { return must(indexRows(cutItems(source, "programs"), sets)) })

	known    = section("variables", readVariables)
	sets     = section("sets", readSets)
	like     = section("like", readLike)
	options  = section("loading", readLoading)
	taken    = section("taken", readTaken)
	cures    = section("cures", func(n plainyaml.Node) (map[string]string, error) { return texts(n), nil })
	builtins = section("builtins", func(n plainyaml.Node) (map[string]bool, error) { return set(texts(n)["names"]), nil })
)

// Lookup finds the row of a program that says which of its words only read, and how many of its arguments
// name it: that of git stash list before that of git. A program that is named by its path is only known
// where the system's own programs lie. The row is nil where there is none.
func Lookup(name string, args []string) (row *Row, named int) {
	if dir, base := filepath.Split(name); dir != "" {
		if dir != "/bin/" && dir != "/usr/bin/" {
			return nil, 0
		}
		name = base
	}
	for n := min(2, len(args)); n > 0; n-- {
		if row := Named(name + " " + strings.Join(args[:n], " ")); row != nil {
			return row, n
		}
	}
	return Named(name), 0
}

// Named returns the row of exactly that name, nil where there is none: "git diff".
func Named(name string) *Row { return programs().named(name).reads }

// Rows lists all that Named knows.
func Rows() []*Row {
	var all []*Row
	for _, p := range programs().inOrder {
		if row := p.read().reads; row != nil {
			all = append(all, row)
		}
	}
	return all
}

// programRow is what a row of programs says.
type programRow struct {
	names  []string
	is     map[Group]bool
	opaque string
	groups map[Group]map[string]bool // those of its subcommands and other words
	reads  *Row
	widens *wideningRow
	words  *plainyaml.Node
}

// rows are those of programs, each read when it is first asked.
type rows struct {
	byName  map[string]*lazyRow
	begins  []string // the names that stand for all that begin so, without their *
	inOrder []*lazyRow
}

// lazyRow is a row as it is written, and as it is read.
type lazyRow struct {
	written func() plainyaml.Node
	read    func() *programRow
}

// find returns the row of a program; nil where it has none.
func (r rows) find(name string) *lazyRow {
	if row := r.byName[name]; row != nil {
		return row
	}
	for _, begin := range r.begins {
		if strings.HasPrefix(name, begin) {
			return r.byName[begin+"*"]
		}
	}
	return nil
}

// named returns what is known of a program; nothing where it has no row.
func (r rows) named(name string) *programRow {
	if row := r.find(name); row != nil {
		return row.read()
	}
	return &programRow{}
}

func indexRows(items []item, sets func() map[string]map[string]string) (rows, error) {
	all := rows{byName: make(map[string]*lazyRow, 2*len(items))}
	for _, item := range items {
		row := &lazyRow{written: item.read}
		row.read = sync.OnceValue(func() *programRow { return must(all.read(item.read(), sets)) })
		all.inOrder = append(all.inOrder, row)
		for name := range strings.SplitSeq(item.names, ",") {
			name = strings.TrimSpace(name)
			if all.byName[name] != nil {
				return rows{}, fmt.Errorf("%s has two rows", name)
			}
			all.byName[name] = row
			if begin, open := strings.CutSuffix(name, "*"); open {
				all.begins = append(all.begins, begin)
			}
		}
	}
	return all, nil
}

// read reads a row.
func (r rows) read(n plainyaml.Node, sets func() map[string]map[string]string) (*programRow, error) {
	var p programRow
	names, is := "", ""
	err := Entries(n, map[string]any{
		"names": &names, "is": &is, "opaque": &p.opaque,
		"groups": func(n plainyaml.Node) (err error) { p.groups, err = readGroups(n); return err },
		"reads": part(r, &p.reads, func(p *programRow) *Row { return p.reads },
			func(n plainyaml.Node) (*Row, error) { return readRow(n, names, sets()) }),
		"widens": part(r, &p.widens, func(p *programRow) *wideningRow { return p.widens }, readWidening),
		"words": part(r, &p.words, func(p *programRow) *plainyaml.Node { return p.words },
			func(n plainyaml.Node) (*plainyaml.Node, error) { return &n, nil }),
	})
	p.names, p.is = list(names), map[Group]bool{}
	for _, group := range list(is) {
		p.is[Group(group)] = true
	}
	if p.reads != nil {
		row := *p.reads
		row.Names, p.reads = p.names, &row
	}
	return &p, err
}

// part reads a part of a row, or takes that of another program, whose name stands there. That one must say it
// itself, so no two rows wait for each other.
func part[T any](
	r rows, to **T, of func(*programRow) *T, read func(plainyaml.Node) (*T, error),
) func(plainyaml.Node) error {
	return func(n plainyaml.Node) (err error) {
		if n.Text == "" {
			*to, err = read(n)
			return err
		}
		other := r.find(n.Text)
		if other == nil {
			return At(n, fmt.Sprintf("%s has no row; name a program whose row has %s", n.Text, n.Key))
		}
		for _, entry := range other.written().Nodes {
			if entry.Key == n.Key && entry.Text != "" {
				return At(n, fmt.Sprintf("%s has the %s of %s; name a program whose row says them itself", n.Text,
					n.Key, entry.Text))
			}
		}
		if *to = of(other.read()); *to == nil {
			return At(n, fmt.Sprintf("%s says nothing of that in its row; write %s: here", n.Text, n.Key))
		}
		return nil
	}
}

// list returns what stands between commas.
func list(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.Split(text, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// set returns what stands between blanks.
func set(text string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(text) {
		all[name] = true
	}
	return all
}

func readSets(n plainyaml.Node) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	for _, set := range n.Nodes {
		kindsOf := map[string]string{}
		keys := map[string]any{}
		OptionLists(keys, kinds, func(_ Kind, n plainyaml.Node) error { kindsOf[n.Key] = n.Text; return nil })
		if err := Entries(set, keys); err != nil {
			return nil, err
		}
		all[set.Key] = kindsOf
	}
	return all, nil
}

// readRow reads which words of a program only read.
func readRow(n plainyaml.Node, names string, sets map[string]map[string]string) (*Row, error) {
	w := writtenRow{Options: map[string]string{}}
	keys := map[string]any{
		"parser": (*string)(&w.Parser), "verified": &w.Verified, "sets": &w.Sets,
		"operands": (*string)(&w.Operands), "language": &w.Language, "trees": &w.Trees, "hidden": &w.Hidden,
		"links":   &w.Links,
		"selects": &w.Selects, "leaves_out": &w.LeavesOut, "skips": &w.Skips, "skips_dirs": &w.SkipsDirs,
		"typed": &w.Typed, "types": func(n plainyaml.Node) error { w.Types = texts(n); return nil },
		"check": &w.Check, "chosen_by": &w.ChosenBy, "no_option_harms": &w.NoOptionHarms, "addresses": &w.Addresses,
	}
	OptionLists(keys, kinds, func(_ Kind, n plainyaml.Node) error { w.Options[n.Key] = n.Text; return nil })
	if err := Entries(n, keys); err != nil {
		return nil, err
	}
	row, err := w.row(sets)
	if err != nil {
		return nil, At(n, names+": "+err.Error())
	}
	return row, nil
}

// writtenRow is what readRow reads as it is written.
type writtenRow struct {
	Verified, Sets, Language, Trees, Hidden, Check string
	Selects, LeavesOut, Typed, ChosenBy            string
	Skips, SkipsDirs                               string
	Types                                          map[string]string
	Parser                                         Parser
	Operands                                       Operands
	Options                                        map[string]string
	Links, NoOptionHarms, Addresses                bool
}

// row makes a row of what is written.
func (w writtenRow) row(sets map[string]map[string]string) (*Row, error) {
	r := &Row{
		Parser: w.Parser, Verified: w.Verified, Operands: w.Operands, Language: w.Language, Check: w.Check,
		Links: w.Links, ChosenBy: strings.Fields(w.ChosenBy), NoOptionHarms: w.NoOptionHarms,
		Addresses: w.Addresses, types: w.Types,
		options: map[string]Kind{},
	}
	switch r.Parser {
	case Getopt, GetoptLong, OptionsFirst, Git, Letters, Tar, Words, Find, None:
	default:
		return nil, fmt.Errorf("parser: %q is none", r.Parser)
	}
	switch r.Operands {
	case "":
		r.Operands = Files
	case Files, Paths, Texts, InputOutput, Setting, Formats, Nothing, Revisions:
	default:
		return nil, fmt.Errorf("operands: %q are none", r.Operands)
	}
	own := map[string]Kind{}
	for kind, names := range w.Options {
		if err := r.list(own, kind, names); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
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
	}{{w.Trees, &r.trees}, {w.Hidden, &r.hidden}, {w.Selects, &r.selects}, {w.LeavesOut, &r.leavesOut},
		{w.Typed, &r.typed}, {w.Skips, &r.skips}, {w.SkipsDirs, &r.skipsDirs}} {
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
	k := kinds[kind]
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
