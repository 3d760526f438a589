package command

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// Additions are what a person's own commands.yaml says of programs and variables. Every key of it says more
// about a risk: nothing in it takes a row, a group or a role of ours away.
type Additions struct {
	programs  map[string]bool
	groups    map[Group]map[string]bool
	options   map[string][]AddedOption
	variables *variables
}

// AddedOption is an option of a program that runs, obeys or writes what its value says.
type AddedOption struct {
	Name string // with its dashes
	Does Stretch
	Code bool // the value is code; otherwise it is a program, or names a file
}

var additions atomic.Pointer[Additions]

// Use has every question answered with what a person's file says, too.
func Use(a *Additions) { additions.Store(a) }

func added() Additions {
	if a := additions.Load(); a != nil {
		return *a
	}
	return Additions{}
}

// IsAdded reports whether a person's file names a program, by its name without a directory.
func IsAdded(program string) bool { return added().programs[program] }

// Added lists the options that a person's file says of a program, by its name without a directory.
func Added(program string) []AddedOption { return added().options[program] }

var (
	programName  = regexp.MustCompile(`^[^\s/'"$` + "`" + `\\*]+$`)
	optionName   = regexp.MustCompile(`^--?[A-Za-z0-9][A-Za-z0-9._-]*$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$|^\*[A-Za-z0-9_]+$`)
	atLine       = regexp.MustCompile(`^yaml: line (\d+): `)
)

// ReadAdditions reads a person's commands.yaml. name is the file as it is shown.
func ReadAdditions(name string, data []byte) (*Additions, error) {
	file, err := parse(string(data))
	if err != nil {
		if place := atLine.FindStringSubmatch(err.Error()); place != nil {
			return nil, fmt.Errorf("%s:%s:1: %s", name, place[1], strings.TrimPrefix(err.Error(), place[0]))
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a := &Additions{
		programs: map[string]bool{}, groups: map[Group]map[string]bool{}, options: map[string][]AddedOption{},
		variables: &variables{exact: map[string][]*variable{}},
	}
	found := ""
	err = Entries(file, map[string]any{
		"version":   &found,
		"programs":  func(n plainyaml.Node) error { return each(n, a.addProgram) },
		"variables": func(n plainyaml.Node) error { return each(n, a.addVariables) },
	})
	if err == nil && found != "1" {
		err = At(file, "write version: 1 as the first line")
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return a, nil
}

func each(n plainyaml.Node, read func(plainyaml.Node) error) error {
	if !n.List {
		return At(n, n.Key+" is a list; write each row behind a dash")
	}
	for _, item := range n.Nodes {
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
}

// ownGroups are the groups that a person can put a program in.
var ownGroups = map[string]Group{
	"asks": Asked, "network": NetworkReaching, "removes": Removers, "unpacks": Unpackers, "directory": ProjectTools,
}

// ownOptions are what a person can say of options.
var ownOptions = map[string]AddedOption{
	"code": {Does: StretchRuns, Code: true}, "runs": {Does: StretchRuns}, "obeys": {Does: StretchObeys},
	"writes": {Does: StretchWrites},
}

func (a *Additions) addProgram(n plainyaml.Node) error {
	var names []string
	flags := map[string]*bool{}
	keys := map[string]any{"names": words(&names, programName, "a program's name, without a directory")}
	for key := range ownGroups {
		flags[key] = new(bool)
		keys[key] = flags[key]
	}
	lists := map[string]*[]string{}
	for key := range ownOptions {
		lists[key] = new([]string)
		keys[key] = words(lists[key], optionName, "an option, such as -e or --eval")
	}
	if err := Entries(n, keys); err != nil {
		return err
	}
	if len(names) == 0 {
		return At(n, "names is missing; write names: PROGRAM")
	}
	for _, entry := range n.Nodes {
		if entry.Key != "names" && entry.Text == "false" {
			return At(entry, entry.Key+
				" can only be true: this file says more about a risk, never less; leave the line out")
		}
	}
	for _, name := range names {
		if In(Builtins, name) {
			return At(n, name+" is done by bash itself, which no row changes; write a rule about it")
		}
	}
	for _, name := range names {
		a.programs[name] = true
		for key, is := range flags {
			if *is {
				if a.groups[ownGroups[key]] == nil {
					a.groups[ownGroups[key]] = map[string]bool{}
				}
				a.groups[ownGroups[key]][name] = true
			}
		}
		for key, list := range lists {
			for _, option := range *list {
				o := ownOptions[key]
				o.Name = option
				a.options[name] = append(a.options[name], o)
			}
		}
	}
	return nil
}

func (a *Additions) addVariables(n plainyaml.Node) error {
	var names []string
	if err := Entries(n, map[string]any{"names": words(&names, variableName,
		"a variable's name, with a * at one end for all that begin or end so")}); err != nil {
		return err
	}
	if len(names) == 0 {
		return At(n, "names is missing; write names: VARIABLE")
	}
	a.variables.list(names, &variable{effect: obeyed})
	return nil
}

// words reads names from a text with blanks or commas between them, or from a list.
func words(to *[]string, form *regexp.Regexp, want string) func(plainyaml.Node) error {
	return func(n plainyaml.Node) error {
		texts := strings.FieldsFunc(n.Text, func(c rune) bool { return c == ' ' || c == ',' })
		for _, item := range n.Nodes {
			if item.Key != "" || len(item.Nodes) > 0 {
				return At(item, n.Key+" is a text or a list of texts")
			}
			texts = append(texts, item.Text)
		}
		for _, text := range texts {
			if !form.MatchString(text) {
				return At(n, fmt.Sprintf("%q is not %s", text, want))
			}
		}
		*to = texts
		return nil
	}
}
