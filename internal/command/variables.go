package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// variables is what is known of environment variables; see commands.yaml.
type variables struct {
	exact              map[string][]*variable
	prefixes, suffixes []affix
}

type affix struct {
	text string
	*variable
}

// variable is a row of variables.
type variable struct {
	effect       effect
	inTools      string   // why tools.yaml may not set it; "" where it may
	nothing      []string // values with which it does nothing
	anyWord      bool     // every plain word is such a value
	sameCommands bool
	given        bool
	encoding     bool
	anyCase      bool
	shown        bool
	ownCode      bool
}

// effect is what setting a variable does.
type effect string

const (
	evaluated effect = "evaluated"
	shell     effect = "shell"
	loaded    effect = "loaded"
	obeyed    effect = "obeyed"
	changes   effect = "changes"
	plain     effect = "plain"
)

// special says what an effect means that a variable has even where a script only sets it.
var special = map[effect]string{
	evaluated: "bash evaluates what is assigned to NAME",
	shell:     "NAME changes how bash runs what comes after it",
	loaded:    "NAME can name code that programs run",
}

func readVariables(n plainyaml.Node) (*variables, error) {
	all := &variables{exact: map[string][]*variable{}}
	for _, item := range n.Nodes {
		if err := all.add(item); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (v *variables) add(n plainyaml.Node) error {
	var row variable
	var names, nothing string
	if err := Entries(n, map[string]any{
		"names": &names, "effect": (*string)(&row.effect), "in_tools": &row.inTools, "nothing": &nothing,
		"same_commands": &row.sameCommands, "given": &row.given, "encoding": &row.encoding,
		"any_case": &row.anyCase, "shown": &row.shown, "own_code": &row.ownCode,
	}); err != nil {
		return err
	}
	switch row.effect {
	case evaluated, shell, loaded, obeyed, changes, plain, "":
	default:
		return At(n, string(row.effect)+" is no effect")
	}
	if row.anyWord = nothing == "any word"; !row.anyWord {
		row.nothing = strings.Fields(nothing)
	}
	v.list(strings.Fields(names), &row)
	return nil
}

// list adds a row under its names.
func (v *variables) list(names []string, row *variable) {
	for _, name := range names {
		if prefix, open := strings.CutSuffix(name, "*"); open {
			v.prefixes = append(v.prefixes, affix{prefix, row})
		} else if suffix, open := strings.CutPrefix(name, "*"); open {
			v.suffixes = append(v.suffixes, affix{suffix, row})
		} else {
			v.exact[name] = append(v.exact[name], row)
		}
	}
}

// namesVariable reports whether the person's own file names a variable.
func (c *Catalogue) namesVariable(name string) (found bool) {
	if own := c.own().variables; own != nil {
		own.find(name, func(*variable) bool { found = true; return false })
	}
	return found
}

// find calls f with every row of a name, those that name it first, until it says no.
func (v *variables) find(name string, f func(*variable) (more bool)) {
	for _, row := range v.exact[name] {
		if !f(row) {
			return
		}
	}
	upper := strings.ToUpper(name)
	for _, p := range v.prefixes {
		if (strings.HasPrefix(name, p.text) || p.anyCase && strings.HasPrefix(upper, p.text)) && !f(p.variable) {
			return
		}
	}
	for _, s := range v.suffixes {
		if strings.HasSuffix(name, s.text) && !f(s.variable) {
			return
		}
	}
}

// SpecialVariable reports whether bash or a program gives a variable a meaning of its own, even where a
// script only sets it, and what that is.
func SpecialVariable(name string) (meaning string, is bool) {
	found := effect("")
	known().find(name, func(v *variable) bool {
		if v.effect == plain || special[v.effect] != "" {
			found = v.effect
			return false
		}
		return true
	})
	meaning = strings.ReplaceAll(special[found], "NAME", name)
	return meaning, meaning != ""
}

// Exported reports what a variable can mean to the programs that get it: runs that one of them runs, loads
// or obeys what it names; family only that it is one of many of which some are obeyed.
func (c *Catalogue) Exported(name string) (meaning string, runs, family bool) {
	if c.namesVariable(name) {
		return "programs run or obey what " + name + " holds", true, true
	}
	harmless := false
	known().find(name, func(v *variable) bool {
		harmless = harmless || v.effect == plain
		runs = runs || v.effect == obeyed
		return !harmless
	})
	if harmless {
		return "", false, false
	}
	if meaning, is := SpecialVariable(name); is {
		return meaning, true, true
	}
	if runs {
		return "programs run or obey what " + name + " holds", true, true
	}
	return "", false, c.ChangesCommands(name)
}

// ChangesCommands reports whether setting an environment variable of that name can change what a command
// runs or does: where programs are found, what is loaded into them, which settings, editors and pagers they
// use, where they connect to.
//
// A name that is no plain name counts as one that does: BASH_FUNC_ls%% is a function called ls, and in some
// interfaces a name with a = in it sets another variable. The list cannot be complete, since any program
// may read any variable; it holds those that are known to run or load something, and takes whole families
// where a family is known for it.
func (c *Catalogue) ChangesCommands(name string) bool {
	if !validName(name) || c.namesVariable(name) {
		return true
	}
	found := false
	known().find(name, func(v *variable) bool {
		found = v.effect != "" && v.effect != plain && !v.sameCommands
		return !found && !v.sameCommands
	})
	return found
}

// IsPlain reports whether a variable with a value is known to have no program that only reads do anything
// else. One that has a row of its own with values that do nothing is plain with these only.
func (c *Catalogue) IsPlain(name, value string) bool {
	if c.namesVariable(name) {
		return false
	}
	plainly, some := false, false
	for _, row := range known().exact[name] {
		plainly = plainly || row.effect == plain
		some = some || row.anyWord || len(row.nothing) > 0
	}
	return plainly && !some || c.SetsNothing(name, value) || NamesEncoding(name) && KeepsEncoding(name, value)
}

// GivenByShell reports whether a shell gives a variable values itself, so that it may not hold what a
// script has assigned.
func GivenByShell(name string) bool {
	given := false
	known().find(name, func(v *variable) bool {
		given = given || v.given
		return !given
	})
	return given
}

// Shown reports whether everybody may see what a variable holds, as it comes to a shell: where somebody is at home, which
// language they speak.
func Shown(name string) bool {
	return slices.ContainsFunc(known().exact[name], func(v *variable) bool { return v.shown })
}

// IsScripts reports whether a variable of that name is nobody's but the text's that sets it: none that a shell or a program is
// known to read, and of those names that POSIX leaves to scripts, since none of its programs goes by a variable with a small
// letter in its name (XBD 8.1), nor, as far as is known, any by one of a single letter.
func (c *Catalogue) IsScripts(name string) bool {
	if !validName(name) || c.namesVariable(name) || name == "_" || len(name) > 1 && strings.ToUpper(name) == name {
		return false
	}
	read := false
	known().find(name, func(*variable) bool {
		read = true
		return false
	})
	return !read
}

// NamesEncoding reports whether a variable names the encoding that a shell reads its text in, or the
// language of what programs print.
func NamesEncoding(name string) bool {
	names := false
	known().find(name, func(v *variable) bool {
		names = names || v.encoding
		return !names
	})
	return names
}

// KeepsEncoding reports whether a variable that names an encoding leaves ASCII alone with a value: in Shift
// JIS and GBK a \ or a | can be the second byte of a letter.
func KeepsEncoding(name, value string) bool {
	lower := strings.ToLower(value)
	switch {
	case name == "LANGUAGE": // no encoding, but a list of languages
		return strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz0123456789_:-") == ""
	case strings.Contains(lower, "/"):
		return false
	}
	return lower == "" || lower == "c" || lower == "posix" || strings.HasSuffix(lower, ".utf-8") ||
		strings.HasSuffix(lower, ".utf8") ||
		strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz") == "" && len(lower) == 2
}

// RefusedInTools says why tools.yaml may not set a variable for a tool; "" where it may.
func RefusedInTools(name string) (why string) {
	known().find(name, func(v *variable) bool {
		why = v.inTools
		return why == ""
	})
	return why
}

// SetsNothing reports whether a variable that could do much is set to a value with which it does nothing:
// people and agents keep git from opening a pager with PAGER=cat.
func (c *Catalogue) SetsNothing(name, value string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	if c.namesVariable(name) {
		return false
	}
	for _, v := range known().exact[name] {
		for _, nothing := range v.nothing {
			if value == nothing || value == "" && nothing == "cat" {
				return true
			}
		}
		if v.anyWord && strings.Trim(value, letters) == "" {
			return true
		}
	}
	return false
}

// SetsOwnCode reports whether a variable that names directories of code is set to such as lie below the directory that a program
// starts in. Links are followed: what lies there is the project's, wherever they lead.
func (c *Catalogue) SetsOwnCode(name, value string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"
	if c.namesVariable(name) || !slices.ContainsFunc(known().exact[name], func(v *variable) bool { return v.ownCode }) {
		return false
	}
	for dir := range strings.SplitSeq(value, ":") {
		if !filepath.IsLocal(dir) || strings.Trim(dir, letters) != "" {
			return false
		}
	}
	return true
}

func validName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
