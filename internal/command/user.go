package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// Catalogue is what is known of programs and variables, with what a person's own commands.yaml says of them.
// Nil is what comes with this program alone. Every key of a person's file says more about a risk: nothing in
// it takes a row, a group or a role of ours away. What no such file can say is asked of the package.
type Catalogue struct {
	name, text string // of the file
	rows       struct{ programs, variables int }

	programs  map[string]bool
	groups    map[OpenGroup]map[string]bool
	options   map[string][]AddedOption
	variables *variables
}

// AddedOption is an option of a program that runs, obeys or writes what its value says.
type AddedOption struct {
	Name string // with its dashes
	Does OptionEffect
	Code bool // the value is code; otherwise it is a program, or names a file
}

// own returns what the person's file says.
func (c *Catalogue) own() Catalogue {
	if c == nil {
		return Catalogue{}
	}
	return *c
}

// Hash names what the person's file says, in hexadecimal; "" without one.
func (c *Catalogue) Hash() string {
	if c.own().text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(c.text))
	return hex.EncodeToString(sum[:])
}

// Same reports whether two catalogues say the same.
func (c *Catalogue) Same(other *Catalogue) bool { return c.own().text == other.own().text }

// Rows returns the person's file as it is shown, and how many rows it has of programs and of variables.
func (c *Catalogue) Rows() (name string, programs, variables int) {
	return c.name, c.rows.programs, c.rows.variables
}

// IsAdded reports whether the person's file names a program, by its name without a directory.
func (c *Catalogue) IsAdded(program string) bool { return c.own().programs[program] }

// Added lists the options that the person's file says of a program, by its name without a directory.
func (c *Catalogue) Added(program string) []AddedOption { return c.own().options[program] }

var (
	programName  = lazyregexp.New(`^[^\s/'"$` + "`" + `\\*]+$`)
	optionName   = lazyregexp.New(`^--?[A-Za-z0-9][A-Za-z0-9._-]*$`)
	variableName = lazyregexp.New(`^(?:[A-Za-z_][A-Za-z0-9_]*\*?|\*[A-Za-z0-9_]+)$`)
	atLine       = lazyregexp.New(`^yaml: line (\d+): `)
)

// Read returns the catalogue with a person's commands.yaml. name is the file as it is shown.
func Read(name string, data []byte) (*Catalogue, error) {
	file, err := parse(string(data))
	if err != nil {
		if place := atLine.FindStringSubmatch(err.Error()); place != nil {
			line, _ := strconv.Atoi(place[1])
			err = Mistake{line, 1, strings.TrimPrefix(err.Error(), place[0])}
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &Catalogue{
		name: name, text: string(data),
		programs: map[string]bool{}, groups: map[OpenGroup]map[string]bool{}, options: map[string][]AddedOption{},
		variables: &variables{exact: map[string][]*variable{}},
	}
	found := ""
	err = Entries(file, map[string]any{
		"version":   &found,
		"programs":  func(n plainyaml.Node) error { return each(n, c.addProgram) },
		"variables": func(n plainyaml.Node) error { return each(n, c.addVariables) },
	})
	if err == nil && found != "1" {
		err = At(file, "write version: 1 as the first line")
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return c, nil
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

// ownKey is what a person can say of a program: that it is in a group, or what options of it do.
type ownKey struct {
	name, says string
	group      OpenGroup
	option     AddedOption
}

var ownKeys = []ownKey{
	{name: "asks", group: Asked, says: "A rule covers it only where it spells the whole command."},
	{name: "network", group: NetworkReaching, says: "It reaches other machines: high risk."},
	{name: "removes", group: Removers, says: "It removes or overwrites: high risk."},
	{name: "unpacks", group: Unpackers, says: "It writes whatever files its input names."},
	{name: "directory", group: ProjectTools, says: "It runs or obeys files of the directory that it starts in."},
	{name: "code", option: AddedOption{Does: OptionRuns, Code: true},
		says: "Options whose value is run as code: no value of a template may stand there."},
	{name: "runs", option: AddedOption{Does: OptionRuns}, says: "Options whose value is a program that is run."},
	{name: "obeys", option: AddedOption{Does: OptionObeys},
		says: "Options whose value is a file that says what is done."},
	{name: "writes", option: AddedOption{Does: OptionWrites}, says: "Options whose value is a file that is written."},
}

func (c *Catalogue) addProgram(n plainyaml.Node) error {
	var names []string
	keys := map[string]any{"names": words(&names, programName, "a program's name, without a directory")}
	said, options := make([]bool, len(ownKeys)), make([][]string, len(ownKeys))
	for i, key := range ownKeys {
		keys[key.name] = &said[i]
		if key.group == "" {
			keys[key.name] = words(&options[i], optionName, "an option, such as -e or --eval")
		}
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
		if Builtin(name) {
			return At(n, name+" is done by bash itself, which no row changes; write a rule about it")
		}
	}
	c.rows.programs++
	for _, name := range names {
		c.programs[name] = true
		for i, key := range ownKeys {
			if said[i] {
				if c.groups[key.group] == nil {
					c.groups[key.group] = map[string]bool{}
				}
				c.groups[key.group][name] = true
			}
			for _, option := range options[i] {
				o := key.option
				o.Name = option
				c.options[name] = append(c.options[name], o)
			}
		}
	}
	return nil
}

func (c *Catalogue) addVariables(n plainyaml.Node) error {
	var names []string
	if err := Entries(n, map[string]any{"names": words(&names, variableName,
		"a variable's name, with a * at one end for all that begin or end so")}); err != nil {
		return err
	}
	if len(names) == 0 {
		return At(n, "names is missing; write names: VARIABLE")
	}
	c.rows.variables++
	c.variables.list(names, &variable{effect: obeyed})
	return nil
}

// words reads names from a text with blanks or commas between them, or from a list.
func words(to *[]string, form *lazyregexp.Regexp, want string) func(plainyaml.Node) error {
	return func(n plainyaml.Node) error {
		texts := strings.FieldsFunc(n.Text, func(c rune) bool { return c == ' ' || c == ',' })
		for _, item := range n.Nodes {
			if item.Key != "" || len(item.Nodes) > 0 {
				return At(item, n.Key+" is a text or a list of texts")
			}
			texts = append(texts, item.Text)
		}
		if len(texts) == 0 {
			return At(n, fmt.Sprintf("%s is empty; write %s, or leave the line out", n.Key, want))
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
