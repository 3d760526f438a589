package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleExec = "exec"

// execMapping is what a tool may say that runs a program in place of a script.
func execMapping() yamldoc.Mapping[*toolEntry] {
	return yamldoc.Mapping[*toolEntry]{
		Name: "exec",
		Keys: []yamldoc.Key[*toolEntry]{
			yamldoc.NewKey("command", "a program", (*toolEntry).readExecCommand),
			yamldoc.NewKey("argv", "a list of words", (*toolEntry).readExecArgv),
			yamldoc.NewKey("end_of_flags", "true or false", func(e *toolEntry, v yamldoc.Value) { v.SetBool(&e.tool.Exec.EndOfFlags) }),
			yamldoc.NewKey("sha256", "64 hex digits", func(e *toolEntry, v yamldoc.Value) {
				if sum, ok := v.Literal(); ok && !sha256Digits.MatchString(sum) {
					v.Fail(yamldoc.RuleValue, "sha256sum FILE prints them", "want 64 hex digits, found %s", yamldoc.Quote(sum))
				} else if ok {
					e.tool.Exec.SHA256 = strings.ToLower(sum)
				}
			}),
			yamldoc.NewKey("pin", "true or false", func(e *toolEntry, v yamldoc.Value) { v.SetBool(&e.tool.Exec.Pin) }),
		},
		Synonyms: map[string]string{"program": "command", "cmd": "command", "path": "command", "binary": "command",
			"args": "argv", "arguments": "argv", "words": "argv", "subcommand": "argv", "hash": "sha256", "digest": "sha256",
			"pinned": "pin"},
	}
}

var sha256Digits = lazyregexp.New(`^[0-9A-Fa-f]{64}$`)

// flagWord is how a program's flag can be written.
var flagWord = lazyregexp.New(`^--?[A-Za-z0-9][A-Za-z0-9_.:@+-]{0,126}$`)

func (e *toolEntry) readExec(v yamldoc.Value) {
	e.tool.Exec, e.exec = &tool.Exec{}, v
	if !v.IsMapping() {
		v.Mismatch("", "write exec: {command: kubectl, argv: [get]}")
		return
	}
	yamldoc.ReadKeys(v, execMapping(), e)
	v.Require("command", "exec: {command: kubectl, argv: [get]}")
}

func (e *toolEntry) readExecCommand(v yamldoc.Value) {
	command, ok := v.Text()
	switch {
	case !ok:
	case command == "" || strings.ContainsAny(command, " \t\n\x00") && !filepath.IsAbs(command) ||
		strings.Contains(command, "/") && !filepath.IsAbs(command) || strings.HasPrefix(command, "-"):
		hint := "write the name alone, or the whole path"
		if fields := strings.Fields(command); len(fields) > 1 {
			hint = fmt.Sprintf("the other words go into argv: {command: %s, argv: [%s]}", fields[0], strings.Join(fields[1:], ", "))
		}
		v.Fail(yamldoc.RuleValue, hint, "want a name to be found in PATH, or an absolute path; found %s",
			yamldoc.Quote(command))
	default:
		e.tool.Exec.Command = command
	}
}

func (e *toolEntry) readExecArgv(v yamldoc.Value) {
	words, ok := v.Texts()
	if !ok {
		return
	}
	for i, word := range words {
		if strings.ContainsRune(word, 0) {
			v.Item(i).Fail(yamldoc.RuleValue, "", "a word cannot hold a NUL")
			return
		}
		if strings.Contains(word, "{{") {
			v.Item(i).Fail(ruleExec, "a value has a parameter with `flag: --name`, or one without, which becomes an argument",
				"there are no tags in argv: its words are what they are")
			return
		}
	}
	e.tool.Exec.Argv = words
}

// checkExec looks at what belongs together in an entry that runs a program, or does not.
func (e *toolEntry) checkExec() {
	if e.tool.Exec == nil {
		for i, p := range e.flags {
			if p.Node != nil {
				e.flags[i].Fail(ruleExec, "name the program: exec: {command: …}; in a script, write {{name}} where the value goes",
					"only a tool with exec has flags")
				return
			}
		}
		return
	}
	if script, both := e.at.Get("script"); both {
		script.Fail(ruleExec, "take one of them out", "a tool has a script or a program (exec), not both")
	}
	if pin := e.tool.Exec; pin.Pin && pin.SHA256 == "" {
		e.exec.Fail(ruleExec, "sha256sum FILE prints it", "pin needs the sha256 that it holds the program to")
	}
	for i := range e.tool.Parameters {
		e.checkFlag(&e.tool.Parameters[i])
	}
	e.checkExecWords()
}

// checkFlag holds the form of a flag against its type.
func (e *toolEntry) checkFlag(p *tool.Parameter) {
	at := e.parameterAt(p.Name)
	fail := func(key, hint, format string, args ...any) {
		v := at
		if inner, ok := at.Get(key); ok {
			v = inner
		}
		v.Fail(ruleExec, hint, format, args...)
	}
	list := p.Type == tool.TypeArray || p.Type == tool.TypeObject
	switch {
	case p.Flag == "" && p.Form != tool.FormEqual:
		fail("form", "name the flag: flag: --"+p.Name, "form says how a value stands behind a flag, and there is none")
	case p.Flag == "" && p.Name == "flags":
		fail("name", "give it another name", "flags is the member of a call that holds the flags")
	case p.Flag == "" && p.Type == tool.TypeObject:
		fail("type", "take an array, or a flag", "an argument cannot be an object")
	case (p.Form == tool.FormCSV || p.Form == tool.FormPlain) && !list:
		fail("form", "", "%s is for lists and objects", p.Form)
	case p.Form == tool.FormPresent && p.Type != tool.TypeBoolean:
		fail("form", "", "present is for true and false")
	case p.Form == tool.FormCount && p.Type != tool.TypeInteger:
		fail("form", "", "count is for whole numbers")
	case p.Type == tool.TypeBoolean && len(p.Flag) == 2 && p.Form == tool.FormEqual:
		fail("flag", "add form: present", "%s=true is nothing that programs read behind a flag of one letter", p.Flag)
	case p.Code != "":
		fail("code", "", "code is for scripts")
	case p.Items != nil && (p.Items.Type == tool.TypeArray || p.Items.Type == tool.TypeObject):
		fail("items", "", "the items of a list are words of a command, so they are texts, numbers, true or false")
	}
}

// parameterAt returns the entry of a parameter.
func (e *toolEntry) parameterAt(name string) yamldoc.Value {
	if list, ok := e.at.Get("parameters"); ok && list.IsList() {
		entries, _ := list.List("")
		for _, at := range entries {
			if n, ok := at.Get("name"); ok && n.Node.Value == name {
				at.Name = fmt.Sprintf("%s: parameter %s", e.at.Name, yamldoc.Quote(name))
				return at
			}
		}
	}
	return e.exec
}

// checkExecWords refuses values that the program is known to run, as it does in scripts.
func (e *toolEntry) checkExecWords() {
	if e.tool.AllowDynamicCommand || e.tool.Exec.Command == "" {
		return
	}
	run := RunValues(&e.tool, e.file.file.Commands)
	for i := range e.tool.Parameters {
		if as := run[i]; as != "" {
			e.parameterAt(e.tool.Parameters[i].Name).Fail(ruleExec,
				"take the parameter out, give it an enum, or write allow_dynamic_command: true, and rules look at the whole command",
				"%s, so whoever gives it chooses what runs", as)
		}
	}
}

// runs says what a program takes a value for that it runs.
var runs = map[shellwords.Kind]string{
	shellwords.Program: "the name of a program", shellwords.Code: "code", shellwords.CodeFile: "the name of a file of code",
	shellwords.Variable: "the name of a variable",
}

// mostWords is how many words of a list are looked at: what a program runs stands behind a few words of its own, as
// in timeout 5 CMD, or is whatever comes.
const mostWords = 4

// RunValues says for each parameter of a tool with an Exec how its program is known to run the value; "" for one of
// which that is not known. A value of an enum is its author's. A list is looked at as one word and as several, since
// whoever gives it chooses how many there are, and an argument also without those before it that may be left out.
func RunValues(t *tool.Tool, commands *command.Catalogue) []string {
	said := make([]string, len(t.Parameters))
	most, optional := 1, 0
	for _, p := range t.Parameters {
		switch {
		case p.Flag != "":
		case p.Type == tool.TypeArray:
			most = mostWords
		case !p.Required:
			optional++
		}
	}
	for n := 1; n <= most; n++ {
		for without := range optional + 1 {
			for i, as := range runValues(t, n, without, false, commands) {
				said[i] = cmp.Or(said[i], as)
			}
			if !t.Exec.EndOfFlags {
				continue
			}
			for i, as := range runValues(t, n, without, true, commands) {
				said[i] = cmp.Or(said[i], as)
			}
		}
	}
	return said
}

// runValues is RunValues for lists of n words, and without the first so many arguments that may be left out. ended says that
// -- stands in front of the arguments.
func runValues(t *tool.Tool, n, without int, ended bool, commands *command.Catalogue) []string {
	words := shellwords.Fixed(append([]string{t.Exec.Command}, t.Exec.Argv...)...)
	first := len(words)
	var of []int // the parameters that the words behind first are of
	for i, p := range t.Parameters {
		fixed := p.Form == tool.FormPresent || p.Form == tool.FormCount
		if without > 0 && p.Flag == "" && !p.Required && p.Type != tool.TypeArray {
			without--
			continue
		}
		if ended && p.Flag == "" {
			of, words, ended = append(of, i), append(words, shellwords.Fixed("--")...), false
		}
		of = append(of, i)
		switch {
		case p.Flag == "" && p.Type == tool.TypeArray:
			of = append(of, slices.Repeat([]int{i}, n-1)...)
			words = append(words, make([]shellwords.Word, n)...)
		case p.Flag == "" || p.Form == tool.FormApart:
			words = append(words, shellwords.Word{})
		case len(p.Flag) > 2 && !fixed:
			words = append(words, shellwords.Word{Text: p.Flag + "="})
		default:
			words = append(words, shellwords.Word{Text: p.Flag, Fixed: fixed})
		}
	}
	said := make([]string, len(t.Parameters))
	for at, role := range shellwords.Read(words, commands).Roles[first:] {
		i, what := of[at], runs[role.Kind]
		switch t.Parameters[i].Type {
		case tool.TypeBoolean, tool.TypeInteger, tool.TypeNumber: // nothing that runs is called so
			continue
		case tool.TypeString, tool.TypeArray, tool.TypeObject:
		}
		if role.Kind == shellwords.AnyOption && t.Parameters[i].Flag == "" {
			what = "its options" // tar xfI FILE CMD
		}
		if what == "" || words[first+at].Fixed || len(t.Parameters[i].Enum) > 0 || role.Kind == shellwords.Code && role.Language == "" {
			continue
		}
		said[i] = fmt.Sprintf("%s reads this value as %s", role.Reader, what)
	}
	return said
}

// commandsOf lists the commands that a tool runs as its author wrote them: those of its script, or its program.
func commandsOf(t *tool.Tool, commands *command.Catalogue) []shellscan.Command {
	if x := t.Exec; x != nil {
		return shellscan.ScanArgv(slices.Concat([]string{x.Command}, x.Argv), commands).Commands
	}
	return authorsCommands(t.Script, commands)
}
