package command

import (
	_ "embed"
	"errors"
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
	programs = sync.OnceValue(func() rows { return must(readPrograms(cutItems(source, "programs"))) })
	roles    = sync.OnceValue(func() []Item { return cutItems(source, "words") })

	stretched = section("stretched", readStretched)
	groups    = section("groups", readGroups)
	known     = section("variables", readVariables)
	sets      = section("sets", readSets)
	like      = section("like", listed)
	cures     = section("cures", func(n plainyaml.Node) (map[string]string, error) { return texts(n), nil })
)

// Lookup finds the row of a program, and how many of its arguments name it: that of git stash list before
// that of git. A program that is named by its path is only known where the system's own programs lie. The
// row is nil where there is none.
func Lookup(name string, args []string) (row *Row, named int) {
	if dir, base := filepath.Split(name); dir != "" {
		if dir != "/bin/" && dir != "/usr/bin/" {
			return nil, 0
		}
		name = base
	}
	for n := min(2, len(args)); n > 0; n-- {
		if row := programs().named(name + " " + strings.Join(args[:n], " ")); row != nil {
			return row, n
		}
	}
	return programs().named(name), 0
}

// Named returns the row of exactly that name, nil where there is none: "git diff".
func Named(name string) *Row { return programs().named(name) }

// Rows lists every row once, in the order of the file.
func Rows() []*Row {
	all := programs()
	rows := make([]*Row, len(all.inOrder))
	for i, row := range all.inOrder {
		rows[i] = row()
	}
	return rows
}

// rows are those of programs, each read when it is first asked.
type rows struct {
	byName  map[string]func() *Row
	inOrder []func() *Row
}

func (r rows) named(name string) *Row {
	if row := r.byName[name]; row != nil {
		return row()
	}
	return nil
}

func readPrograms(items []Item) (rows, error) {
	all := rows{byName: map[string]func() *Row{}}
	for _, item := range items {
		read := sync.OnceValue(func() *Row { return must(readRow(item.Node(), sets())) })
		all.inOrder = append(all.inOrder, read)
		for name := range strings.SplitSeq(item.Names, ",") {
			if name = strings.TrimSpace(name); all.byName[name] != nil {
				return rows{}, fmt.Errorf("%s has two rows", name)
			}
			all.byName[name] = read
		}
	}
	return all, nil
}

// names returns the names of a row.
func names(row plainyaml.Node) []string {
	var names []string
	for _, entry := range row.Nodes {
		if entry.Key == "names" {
			for name := range strings.SplitSeq(entry.Text, ",") {
				names = append(names, strings.TrimSpace(name))
			}
		}
	}
	return names
}

func readSets(n plainyaml.Node) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	for _, set := range n.Nodes {
		all[set.Key] = texts(set)
	}
	return all, nil
}

// readRow reads a row of programs.
func readRow(n plainyaml.Node, sets map[string]map[string]string) (*Row, error) {
	var w writtenRow
	err := Entries(n, map[string]any{
		"names": &w.names, "parser": (*string)(&w.Parser), "verified": &w.Verified, "options": &w.Options,
		"sets":     &w.Sets,
		"operands": (*string)(&w.Operands), "language": &w.Language, "trees": &w.Trees, "hidden": &w.Hidden,
		"links":   &w.Links,
		"selects": &w.Selects, "leaves_out": &w.LeavesOut,
		"check": &w.Check, "no_option_harms": &w.NoOptionHarms,
	})
	if err != nil {
		return nil, err
	}
	row, err := w.row(sets)
	if err != nil {
		return nil, At(n, w.names+": "+err.Error())
	}
	return row, nil
}

// writtenRow is a row of programs as it is written.
type writtenRow struct {
	names, Verified, Sets, Language, Trees, Hidden, Check string
	Selects, LeavesOut                                    string
	Parser                                                Parser
	Operands                                              Operands
	Options                                               map[string]string
	Links, NoOptionHarms                                  bool
}

// row makes a row of what is written.
func (w writtenRow) row(sets map[string]map[string]string) (*Row, error) {
	r := &Row{
		Parser: w.Parser, Verified: w.Verified, Operands: w.Operands, Language: w.Language, Check: w.Check,
		Links: w.Links, NoOptionHarms: w.NoOptionHarms,
		options: map[string]Kind{},
	}
	for name := range strings.SplitSeq(w.names, ",") {
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
	}{{w.Trees, &r.trees}, {w.Hidden, &r.hidden}, {w.Selects, &r.selects}, {w.LeavesOut, &r.leavesOut}} {
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
