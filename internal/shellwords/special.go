package shellwords

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// special returns the reader of a program whose words follow no row alone, nil for the others.
func (p *program) special() func(r *reader, p *program, at, to int, via []string) {
	switch p.reader {
	case "git":
		return (*reader).git
	case "shell":
		return (*reader).shell
	case "find":
		return (*reader).find
	case "test":
		return (*reader).test
	case "xargs":
		return (*reader).xargs
	case "perl":
		return (*reader).perl
	case "python":
		return (*reader).python
	case "trap":
		return (*reader).trap
	}
	return nil
}

// shell reads the words of a shell. -c takes no argument: it says that the first operand is the code.
func (r *reader) shell(p *program, at, to int, _ []string) {
	name := Base(r.words[at].Text)
	items := r.items(p, at, to)
	r.options(p, items, name)
	code := false  // -c
	stdin := false // -s
	vague := false
	var operands []int
	for _, it := range items {
		w := r.words[it.at]
		switch {
		case it.operand:
			if w.Splits && len(operands) == 0 {
				vague = true
			}
			operands = append(operands, it.at)
		case strings.HasPrefix(w.Text, "--"):
			vague = vague || it.picks
		default:
			vague = vague || it.picks
			code = code || strings.Contains(w.Text[1:], "c")
			stdin = stdin || strings.Contains(w.Text[1:], "s")
		}
	}
	switch {
	case vague:
		for _, i := range operands {
			r.Roles[i] = Role{Kind: Unclear, Reader: name,
				Cure: "write the options of " + name + " out, each as a word of its own"}
		}
		if r.Unknown == "" {
			r.Unknown = "the options of " + name + " are not fixed"
		}
		r.Stdin = Shell
	case code && len(operands) > 0:
		r.give(operands[0], code0(name), name+" -c", false)
		last := &r.Code[len(r.Code)-1]
		last.Parameters = operands[1:]
		r.parameters(operands[1:], name+" -c")
	case stdin || len(operands) == 0:
		r.Stdin = Shell
		r.parameters(operands, name)
	default:
		r.give(operands[0], file(Shell), name, false)
		r.parameters(operands[1:], name)
	}
}

func code0(name string) slot {
	return code(Shell, name+` -c '… "$1" …' _ {{…}} passes the value as data`)
}

// parameters are what the code sees as $0, $1, …: data, whatever they begin with.
func (r *reader) parameters(at []int, label string) {
	for _, i := range at {
		r.Roles[i] = Role{Kind: Operand, Reader: label, Dash: true}
	}
}

func (r *reader) find(p *program, at, to int, via []string) {
	defer r.findRuns(at, to)
	for i := at + 1; i < to; i++ {
		w := r.words[i]
		switch {
		case w.Fixed && isExec(w.Text):
			end := i + 1
			for end < to && !(r.words[end].Fixed && isExecEnd(r.words, end)) {
				end++
			}
			r.Roles[i] = Role{Kind: Option, Reader: "find"}
			r.command(i+1, end, append(via[:len(via):len(via)], "find"))
			if end < to {
				r.Roles[end] = Role{Kind: Option, Reader: "find"}
			}
			i = end
		case len(w.Text) > 1 && w.Text[0] == '-' || !w.Fixed && w.Text == "-":
			items := p.items(r.reader(p, i, to).Next(), w)
			r.options(p, items, "find")
			if w.Text == "-delete" {
				r.Roles[i].Writes = true
			}
			i += len(items[len(items)-1].args)
		default:
			r.Roles[i] = Role{Kind: Operand, Reader: "find", Operators: true}
			if w.Splits {
				r.Roles[i] = Role{Kind: Unclear, Reader: "find", Cure: "write the tests and actions of find out"}
			}
			if !w.Fixed && w.Text == "" {
				r.Assumed = append(r.Assumed, i)
			}
		}
	}
}

// findRuns notes of the directories of find that what lies below them is run: find DIR -exec bash {}.
func (r *reader) findRuns(at, to int) {
	for i := at + 1; i < to; i++ {
		if kind := r.Roles[i].Kind; r.words[i].Text != "{}" || kind != Program && kind != CodeFile {
			continue
		}
		for k := at + 1; k < i; k++ {
			role := &r.Roles[k]
			if role.Kind == Operand && role.Operators || role.Kind == Argument && !r.words[k].Fixed {
				role.Caution = "find has the files that it finds there run: give the parameter a pattern"
			}
		}
	}
}

func isExec(text string) bool {
	return text == "-exec" || text == "-execdir" || text == "-ok" || text == "-okdir"
}

// isExecEnd reports whether the command of -exec ends here: at ; or at a + after {}.
func isExecEnd(words []Word, i int) bool {
	return words[i].Text == ";" || words[i].Text == "+" && words[i-1].Fixed && words[i-1].Text == "{}"
}

// test reads test and [. Its words mean what their number and neighbours say, so a value in front of
// another word that is not fixed could be -v, and [ -v 'a[$(cmd)]' ] runs cmd.
func (r *reader) test(_ *program, at, to int, _ []string) {
	name := r.words[at].Text
	for i := at + 1; i < to; i++ {
		w, before := r.words[i], r.words[i-1]
		r.Roles[i] = Role{Kind: Operand, Reader: name, Dash: true}
		switch {
		case i > at+1 && before.Fixed && (before.Text == "-v" || before.Text == "-R"):
			r.Roles[i] = Role{Kind: Variable, Reader: name + " " + before.Text, Dash: true,
				Cure: "write the variable's name in the script"}
		case i > at+1 && !w.Fixed && !before.Fixed && before.Text == "", w.Splits:
			r.Roles[i] = Role{Kind: Variable, Reader: name, Dash: true,
				Cure: "the word before it could be -v, which evaluates this one: write an operator between them, or use [[ ]]"}
		}
	}
}

// trap's first word is code, unless it is all there is, or resets the signal. A number alone resets it in
// most shells and is code in others; with anything behind it, it is code in all.
func (r *reader) trap(_ *program, at, to int, _ []string) {
	first := at + 1
	if first < to && r.words[first].Fixed && r.words[first].Text == "--" {
		r.Roles[first] = Role{Kind: Option, Reader: "trap"}
		first++
	}
	for i := first; i < to; i++ {
		r.Roles[i] = Role{Kind: Operand, Reader: "trap", Dash: true}
	}
	if first >= to {
		return
	}
	switch w := r.words[first]; {
	case w.Fixed && (to-first == 1 || w.Text == "-" || w.Text == "" || strings.HasPrefix(w.Text, "-")):
	default:
		r.give(first, code(Shell, "do not pass values to trap"), "trap", false)
	}
}

// readsOperands finds the ways of perl to read what its operands name.
var readsOperands = lazyregexp.New(`<>|ARGV>|\breadline\b|\beof\s*\(\s*\)`)

// perl opens the files that <> names with its two-argument open, which runs 'cmd |' (perlop, I/O
// Operators): with -n, -p or <> in the program its operands are commands.
func (r *reader) perl(p *program, at, to int, via []string) {
	code := len(r.Code)
	r.program(p, "perl", at, to, via)
	opens := false
	for _, o := range r.given {
		opens = opens || o.At > at && (o.Name == "-n" || o.Name == "-p")
	}
	for _, text := range r.Code[code:] {
		opens = opens || !text.Fixed || readsOperands.MatchString(text.Text)
	}
	for i := at + 1; opens && i < to; i++ {
		if role := &r.Roles[i]; role.Kind == Operand {
			*role = Role{Kind: Code, Language: Shell, Reader: "perl <>",
				Cure: "read the file on standard input: perl … < {{…}}"}
			r.Code = append(r.Code, Text{Language: Data, Text: r.words[i].Text, Fixed: r.words[i].Fixed,
				At: i, Whole: true})
		}
	}
}

// python reads what stands behind -m as the words of the program that the module is: python3 -m pip install.
func (r *reader) python(p *program, at, to int, via []string) {
	r.program(p, Base(r.words[at].Text), at, to, via)
	for _, o := range r.given {
		if o.At > at && o.Name == "-m" && o.Value.Fixed {
			r.started(o.Value.Text, o.ValueAt, to, via)
			return
		}
	}
}

// gitRuns finds the settings of git that name something which git runs, reads as settings, or connects to
// (git-config(1)).
var gitRuns = lazyregexp.New(`(?i)^(alias\.|include|credential|filter\.|diff\.[^.]*\.?(command|textconv|external)` +
	`|merge\..*\.driver|mergetool\.|difftool\.|pager\.|url\.|protocol\.|submodule\..*\.update|man\.|browser\.|web\.` +
	`|sendemail\.|trailer\.|gpg\.|remote\..*\.(vcs|uploadpack|receivepack|proxy)|tar\.|uploadpack\.|receive\.|hook` +
	`|init\.templatedir|http\.|instaweb\.|interactive\.difffilter|sequence\.editor|core\.(pager|editor|sshcommand` +
	`|hookspath|fsmonitor|askpass|gitproxy|worktree|attributesfile|alternaterefscommand)|.*(command|cmd|program|helper` +
	`|path|editor|pager)$)`)

// git reads git's own words by its row; the value of a setting that names a program is code.
func (r *reader) git(p *program, at, to int, via []string) {
	r.program(p, "git", at, to, via)
	sub := -1
	var operands []int
	for i := at + 1; i < to; i++ {
		switch {
		case sub < 0 && r.words[i].Fixed && r.words[i].Text == "config" && r.Roles[i].Kind == Option:
			sub = i
		case sub >= 0 && r.Roles[i].Kind != Option && r.Roles[i].Kind != Argument:
			operands = append(operands, i)
		}
	}
	if len(operands) > 1 && r.words[operands[0]].Fixed &&
		(r.words[operands[0]].Text == "set" || r.words[operands[0]].Text == "add") {
		operands = operands[1:]
	}
	if sub < 0 || len(operands) < 2 {
		return
	}
	if name := r.words[operands[0]]; name.Fixed && !gitRuns.MatchString(name.Text) {
		return
	}
	for _, i := range operands[1:] {
		r.give(i, code(Settings, "git runs what this setting names; write it in the script"), "git config", false)
	}
}
