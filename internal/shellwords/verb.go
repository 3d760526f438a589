package shellwords

import (
	"strings"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
)

// IsMake reports whether a program reads makefiles.
func IsMake(program string) bool { return catalogue.In(catalogue.Makes, Base(program)) }

// ObeysDirectory reports whether a program runs or obeys files of the directory that it starts in.
func ObeysDirectory(program string, commands *catalogue.Catalogue) bool {
	return IsMake(program) || commands.In(catalogue.ProjectTools, Base(program))
}

// verb makes of the first operand of such a program the name of a command, unless it is written out.
func (r *reader) verb(name string, at, to int) {
	if !catalogue.In(catalogue.Verbs, name) {
		return
	}
	for i := at + 1; i < to; i++ {
		w, kind := r.words[i], r.Roles[i].Kind
		switch {
		case kind == Argument, kind == AnyOption, strings.HasPrefix(w.Text, "-"), !w.Fixed && kind != Operand:
			continue
		case !w.Fixed:
			r.Roles[i] = Role{Kind: Program, Reader: name, Named: true,
				Cure: "name the command in the script, or list the values under enum"}
		case catalogue.Subcommands(catalogue.HandingOn, name)[w.Text]:
			r.handedOn(name+" "+w.Text, i+1, to)
		}
		return
	}
}

// subcommandGiven makes the first operand the name of a command where it is not fixed, some subcommand runs what
// stands behind it, and what stands there is not fixed either: bundle {{v}} {{w}} could be bundle exec.
func (r *reader) subcommandGiven(p *program, items []item, label string) {
	if catalogue.In(catalogue.Verbs, label) {
		return // see verb
	}
	first, more := -1, false
	for _, it := range items {
		switch {
		case !it.operand && first < 0 && !r.words[it.at].Fixed:
			return // whether that is one cannot be told
		case !it.operand:
		case first < 0:
			first = it.at
		case !r.words[it.at].Fixed:
			more = true
		}
	}
	if first >= 0 && more && !r.words[first].Fixed && r.Roles[first].Kind == Operand && p.runsSome() {
		r.Roles[first] = Role{Kind: Program, Reader: label, Named: true,
			Cure: "name the command in the script, or list the values under enum"}
	}
}

// runsSome reports whether one of the subcommands runs what it is given.
func (p *program) runsSome() bool {
	for _, sub := range p.subcommands {
		if sub.runs() || sub.runsSome() {
			return true
		}
	}
	return false
}

// handedOn notes that a script of the project gets the words from at on: what its program does with the values
// of options nobody here knows, and for it a -- ends no options. Behind run the first names the script.
func (r *reader) handedOn(label string, at, to int) {
	names := strings.Contains(label, " run")
	for i := at; i < to; i++ {
		before, option := r.words[i-1].Text, strings.HasPrefix(r.words[i].Text, "-")
		if names && !option || option ||
			strings.HasPrefix(before, "-") && before != "--" && !strings.Contains(before, "=") {
			r.Roles[i].Unknown, r.Roles[i].Reader = true, label
		}
		names = names && option
		if r.Roles[i].Kind == Operand && r.Roles[i].Dash {
			r.Roles[i].Dash, r.Roles[i].Reader = false, label
		}
	}
}
