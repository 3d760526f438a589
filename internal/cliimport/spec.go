package cliimport

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// LargestSpec is how many bytes a carapace spec may have.
const LargestSpec = 4 << 20

// specCommand is what a carapace spec says of a command (https://carapace-sh.github.io/carapace-spec/), as far as it is
// read: what it would have a shell run is not.
type specCommand struct {
	Name            string               `yaml:"name"`
	Description     string               `yaml:"description"`
	Hidden          bool                 `yaml:"hidden"`
	Parsing         string               `yaml:"parsing"`
	Flags           map[string]yaml.Node `yaml:"flags"`
	PersistentFlags map[string]yaml.Node `yaml:"persistentflags"`
	Completion      struct {
		Flag          map[string][]string `yaml:"flag"`
		Positional    yaml.Node           `yaml:"positional"`
		PositionalAny yaml.Node           `yaml:"positionalany"`
	} `yaml:"completion"`
	Commands []specCommand `yaml:"commands"`
}

// specFlag is how a spec writes a flag: its names, and what they take.
//
//	=  a value     ?  a value or none     *  more than once     !  required     &  hidden     ={2}  so many values
var specFlag = lazyregexp.New(`^(?:(-[^-\s=*?&!,][^\s=*?&!,]*))?(?:, )?(--?[^-\s=*?&!,][^\s=*?&!,]*)?([=*?&!]*)(\{-?\d+\})?$`)

// readSpec reads a carapace spec. It tells names and what takes a value; nothing of types.
func readSpec(data []byte, guess bool) (*command, error) {
	if len(data) > LargestSpec {
		return nil, fmt.Errorf("the spec has more than %d MB", LargestSpec>>20)
	}
	var said specCommand
	if err := yaml.Unmarshal(data, &said); err != nil {
		return nil, fmt.Errorf("the spec: %w", err)
	}
	if said.Name == "" {
		return nil, errors.New("the spec has no name; it is a carapace spec where it says name, flags and commands")
	}
	r := &specReader{guess: guess}
	root := &command{short: said.Description}
	r.read(root, &said, nil)
	if r.found > mostCommands {
		return nil, fmt.Errorf("the spec has more than %d commands", mostCommands)
	}
	return root, nil
}

type specReader struct {
	guess bool
	found int
}

// read takes over what is said of a command and of those below it. above are the flags that it has from those above.
func (r *specReader) read(c *command, said *specCommand, above []*flag) {
	own := said.flagsOf(said.Flags)
	below := slices.Concat(above, said.flagsOf(said.PersistentFlags))
	c.flags = append(own, below[len(above):]...)
	for _, f := range above {
		inherited := *f
		inherited.inherited = true
		c.flags = append(c.flags, &inherited)
	}
	if said.Parsing == "disabled" {
		c.flags = nil // all its words are its own
	}
	seen := map[string]bool{}
	c.flags = slices.DeleteFunc(c.flags, func(f *flag) bool {
		twice := seen[f.name]
		seen[f.name] = true
		return twice
	})
	c.flags = c.flags[:min(len(c.flags), mostFlags)]
	if r.guess {
		for _, f := range c.flags {
			f.guess()
		}
	}
	c.others = len(said.Commands) > 0
	for i := range said.Commands {
		one := &said.Commands[i]
		path := append(slices.Clone(c.path), one.Name)
		if one.Hidden || !commandName.MatchString(one.Name) || isOwn(path) || len(path) > deepest || len(c.below) >= mostBelow {
			continue
		}
		if r.found++; r.found > mostCommands {
			return
		}
		child := &command{path: path, short: one.Description}
		if one.isCalled() {
			child.help.usage = []string{strings.Join(path, " ")}
		}
		c.below = append(c.below, child)
		r.read(child, one, below)
	}
}

// isCalled reports whether a command takes something itself, so that it is one beside those below it.
func (s *specCommand) isCalled() bool {
	if s.Completion.Positional.Kind != 0 || s.Completion.PositionalAny.Kind != 0 {
		return true
	}
	for key := range s.Flags {
		if m := specFlag.FindStringSubmatch(key); m != nil && m[2] != "--help" && m[1] != "-h" {
			return true
		}
	}
	return false
}

// flagsOf makes flags of what is said of some, in the order of their names.
func (s *specCommand) flagsOf(said map[string]yaml.Node) (flags []*flag) {
	for _, key := range slices.Sorted(maps.Keys(said)) {
		value := said[key]
		m := specFlag.FindStringSubmatch(key)
		if m == nil || m[1] == "" && m[2] == "" {
			continue
		}
		spelled, has := m[2], func(modifier string) bool { return strings.Contains(m[3], modifier) }
		if spelled == "" {
			spelled = m[1]
		}
		f := &flag{name: strings.TrimLeft(spelled, "-"), spelled: spelled, inHelp: true, required: has("!")}
		if !flagName.MatchString(f.name) || has("&") {
			continue
		}
		var more struct {
			Description string `yaml:"description"`
			Nargs       int    `yaml:"nargs"`
		}
		if value.Kind == yaml.MappingNode {
			_ = value.Decode(&more) // what it does not say is not known
		} else {
			more.Description = value.Value
		}
		f.about = more.Description
		takes, single := has("=") || has("?"), !strings.HasPrefix(spelled, "--") && len(spelled) > 2
		switch {
		case more.Nargs != 0, m[4] != "":
			f.kind, f.left = pflagkind.Kind{Of: tool.TypeString}, "it takes several words"
		case single && takes:
			f.kind, f.left = pflagkind.Kind{Of: tool.TypeString}, "the spec does not say how its value is written"
		case takes:
			f.kind = pflagkind.Kind{Of: tool.TypeString, List: has("*"), Enum: s.enum(m[1], m[2])}
			f.apart(has("?"))
		case has("*"):
			f.kind = pflagkind.Kind{Of: tool.TypeInteger, Form: tool.FormCount, From0: true}
		default:
			f.kind = pflagkind.Kind{Of: tool.TypeBoolean, Form: tool.FormPresent}
		}
		flags = append(flags, f)
	}
	return flags
}

// enum returns the values that a flag is completed with; nil where some come from elsewhere (macros begin with $).
func (s *specCommand) enum(names ...string) []string {
	for _, name := range names {
		var values []string
		for _, line := range s.Completion.Flag[strings.TrimLeft(name, "-")] {
			value, _, _ := strings.Cut(line, "\t")
			if strings.HasPrefix(value, "$") {
				return nil
			}
			values = append(values, value)
		}
		if len(values) > 0 {
			return asValues(values)
		}
	}
	return nil
}
