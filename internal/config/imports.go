package config

import (
	"path"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// Import says which tools of a file have been made of the commands of a program, and how: what is to be done again
// when the program is another one.
type Import struct {
	Name      string // the key below imports; its tools' names begin with it, or with Prefix
	Command   string
	Version   string
	SHA256    string
	Pin       bool
	Spec      string // the carapace spec that they were made of; "" for the program's own words
	Guess     bool   // types that the help does not tell are guessed
	Prefix    string
	Grants    []string
	Selectors []Selector
	Tools     []string
}

// Selector says which commands become tools, and with which flags. The first one that a command matches counts for
// it, and a command that matches none becomes no tool. Without any condition it matches every command.
type Selector struct {
	AllowCmds, ExcludeCmds                     []string // as a person types them; * stands for any words
	AllowCmdsContaining, ExcludeCmdsContaining []string
	ReadOnly                                   bool // only commands that are known by their names to only read
	LocalFlags, InheritedFlags                 FlagSelector
}

// FlagSelector says which flags of a command a call may give: all, unless it says otherwise.
type FlagSelector struct {
	Allow, Exclude []string // names; * stands for any letters
	None           bool
}

// Matches reports whether the selector counts for a command.
func (s Selector) Matches(command string, readOnly bool) bool {
	contains := func(part string) bool { return strings.Contains(command, part) }
	allowed := (len(s.AllowCmds) == 0 || anyGlob(s.AllowCmds, command)) &&
		(len(s.AllowCmdsContaining) == 0 || slices.ContainsFunc(s.AllowCmdsContaining, contains))
	excluded := anyGlob(s.ExcludeCmds, command) || slices.ContainsFunc(s.ExcludeCmdsContaining, contains)
	return allowed && !excluded && (readOnly || !s.ReadOnly)
}

// Takes reports whether a call may give the flag.
func (s FlagSelector) Takes(name string) bool {
	return !s.None && (len(s.Allow) == 0 || anyGlob(s.Allow, name)) && !anyGlob(s.Exclude, name)
}

// Names reports whether the flag is named, letter by letter.
func (s FlagSelector) Names(name string) bool {
	return !s.None && slices.ContainsFunc(s.Allow, func(allowed string) bool { return allowed == name })
}

func anyGlob(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		matched, err := path.Match(glob, name)
		return err == nil && matched
	})
}

// importMapping is what stands below the name of an import.
func importMapping() yamldoc.Mapping[*Import] {
	return yamldoc.Mapping[*Import]{
		Name: "an import",
		Keys: []yamldoc.Key[*Import]{
			yamldoc.NewKey("command", "a program", func(i *Import, v yamldoc.Value) { v.SetLiteral(&i.Command) }),
			yamldoc.NewKey("version", "a text", func(i *Import, v yamldoc.Value) { v.SetText(&i.Version) }),
			yamldoc.NewKey("sha256", "64 hex digits", func(i *Import, v yamldoc.Value) {
				if sum, ok := v.Literal(); ok && !sha256Digits.MatchString(sum) {
					v.Fail(yamldoc.RuleValue, "a2a-acp import cli writes it", "want 64 hex digits, found %s", yamldoc.Quote(sum))
				} else if ok {
					i.SHA256 = strings.ToLower(sum)
				}
			}),
			yamldoc.NewKey("pin", "true or false", func(i *Import, v yamldoc.Value) { v.SetBool(&i.Pin) }),
			yamldoc.NewKey("spec", "a file", func(i *Import, v yamldoc.Value) { v.SetText(&i.Spec) }),
			yamldoc.NewKey("guess", "true or false", func(i *Import, v yamldoc.Value) { v.SetBool(&i.Guess) }),
			yamldoc.NewKey("prefix", "a text", func(i *Import, v yamldoc.Value) { v.SetText(&i.Prefix) }),
			yamldoc.NewKey("grants", "a list of names", func(i *Import, v yamldoc.Value) { v.SetTexts(&i.Grants) }),
			yamldoc.NewKey("selectors", "a list of selectors", (*Import).readSelectors),
			yamldoc.NewKey("tools", "a list of ids", func(i *Import, v yamldoc.Value) { v.SetTexts(&i.Tools) }),
		},
		Synonyms: map[string]string{"binary": "command", "hash": "sha256", "digest": "sha256", "selector": "selectors"},
	}
}

func (i *Import) readSelectors(v yamldoc.Value) {
	items, _ := v.List("{allow_cmds, exclude_cmds, …}")
	for _, item := range items {
		var s Selector
		yamldoc.ReadKeys(item, selectorMapping(), &s)
		i.Selectors = append(i.Selectors, s)
	}
}

// selectorMapping has the names of the original's functions (AllowCmds, NoFlags) as keys.
func selectorMapping() yamldoc.Mapping[*Selector] {
	texts := func(name string, field func(*Selector) *[]string) yamldoc.Key[*Selector] {
		return yamldoc.NewKey(name, "a list of texts", func(s *Selector, v yamldoc.Value) { v.SetTexts(field(s)) })
	}
	return yamldoc.Mapping[*Selector]{
		Name: "a selector",
		Keys: []yamldoc.Key[*Selector]{
			texts("allow_cmds", func(s *Selector) *[]string { return &s.AllowCmds }),
			texts("exclude_cmds", func(s *Selector) *[]string { return &s.ExcludeCmds }),
			texts("allow_cmds_containing", func(s *Selector) *[]string { return &s.AllowCmdsContaining }),
			texts("exclude_cmds_containing", func(s *Selector) *[]string { return &s.ExcludeCmdsContaining }),
			yamldoc.NewKey("read_only", "true or false", func(s *Selector, v yamldoc.Value) { v.SetBool(&s.ReadOnly) }),
			yamldoc.NewKey("local_flags", "{allow_flags, exclude_flags, no_flags}", func(s *Selector, v yamldoc.Value) {
				yamldoc.ReadKeys(v, flagSelectorMapping(), &s.LocalFlags)
			}),
			yamldoc.NewKey("inherited_flags", "{allow_flags, exclude_flags, no_flags}", func(s *Selector, v yamldoc.Value) {
				yamldoc.ReadKeys(v, flagSelectorMapping(), &s.InheritedFlags)
			}),
		},
		Synonyms: map[string]string{"allow": "allow_cmds", "exclude": "exclude_cmds", "commands": "allow_cmds",
			"flags": "local_flags", "localflagselector": "local_flags", "inheritedflagselector": "inherited_flags"},
	}
}

func flagSelectorMapping() yamldoc.Mapping[*FlagSelector] {
	return yamldoc.Mapping[*FlagSelector]{
		Name: "a selection of flags",
		Keys: []yamldoc.Key[*FlagSelector]{
			yamldoc.NewKey("allow_flags", "a list of texts", func(s *FlagSelector, v yamldoc.Value) { v.SetTexts(&s.Allow) }),
			yamldoc.NewKey("exclude_flags", "a list of texts", func(s *FlagSelector, v yamldoc.Value) { v.SetTexts(&s.Exclude) }),
			yamldoc.NewKey("no_flags", "true or false", func(s *FlagSelector, v yamldoc.Value) { v.SetBool(&s.None) }),
		},
		Synonyms: map[string]string{"allow": "allow_flags", "exclude": "exclude_flags", "none": "no_flags"},
	}
}

var importName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

// readImports reads what stands below imports.
func (f *toolsFile) readImports(v yamldoc.Value) {
	entries, _ := v.Entries()
	for _, e := range entries {
		if !importName.MatchString(e.Name) {
			e.Key.Fail(yamldoc.RuleValue, "", "want a name of letters, digits, _, . and -, found %s", yamldoc.Quote(e.Name))
			continue
		}
		if isTool(e.Value) && !e.Value.Has("command") {
			e.Key.Fail(yamldoc.RuleUnknown, "move it below tools:", "%s is a tool, and stands below imports", yamldoc.Quote(e.Name))
			continue
		}
		i := Import{Name: e.Name}
		e.Value.Name = "import " + yamldoc.Quote(e.Name)
		if !e.Value.IsMapping() {
			e.Value.Mismatch("{command, sha256, selectors, …}", "a2a-acp import cli writes it")
			continue
		}
		yamldoc.ReadKeys(e.Value, importMapping(), &i)
		e.Value.Require("command", "a2a-acp import cli writes it")
		f.imports = append(f.imports, i)
	}
}

// ReadImports returns what a tools file says of the programs that tools of it were made of.
func ReadImports(file File) ([]Import, error) {
	f := &toolsFile{file: file, doc: yamldoc.Parse(file.Name, file.Data, yamldoc.Options{}), version: formatOriginal}
	if root, ok := f.doc.Root("a mapping of tools"); ok {
		if imports, given := root.Get("imports"); given && !isTool(imports) {
			f.readImports(imports)
		}
	}
	if f.doc.Found.Broken() {
		return nil, f.doc.Found
	}
	return f.imports, nil
}
