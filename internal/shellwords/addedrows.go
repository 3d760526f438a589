package shellwords

import (
	"strings"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
)

// addedOptions gives the words behind options that a person's own commands.yaml names the role that it
// says. A word that runs something already keeps its role, and no word becomes data by it. So it is with what
// the program runs by what is said of it for rules.
func (r *reader) addedOptions(name string, at, to int) {
	for _, option := range catalogue.OptionsThatRun(name) {
		for i := at + 1; i < to; i++ {
			value, given := r.valueOf(option, i, to)
			told := r.Roles[i].Caution != "" // the row of its words says more
			if given && value == i && !r.words[i].Fixed && !told {
				r.more(i, file("a program's"), name+" "+option)
			}
		}
	}
	for _, o := range r.commands.Added(name) {
		s := slot{kind: Argument, dash: true, writes: true}
		switch {
		case o.Does == catalogue.OptionRuns && o.Code:
			s = code("a program's", "your commands.yaml says that it is run")
		case o.Does == catalogue.OptionRuns, o.Does == catalogue.OptionObeys:
			s = file("a program's")
		}
		for i := at + 1; i < to; i++ {
			if value, given := r.valueOf(o.Name, i, to); given && (value > i || !r.words[i].Fixed) {
				r.more(value, s, name+" "+o.Name)
			}
		}
	}
}

// valueOf returns the word that holds the value of an option, where word i could be that: it is read as if
// the program had no other.
func (r *reader) valueOf(option string, i, to int) (at int, given bool) {
	reader := r.reader(&program{options: options{option: plain}}, i, to)
	if len(option) > 2 && !strings.HasPrefix(option, "--") {
		reader.Parser = catalogue.Long
	}
	for _, o := range reader.Next().Options {
		if o.Kind == catalogue.Plain && len(o.Values) > 0 {
			at, given = o.Values[0].At, true
		}
	}
	return at, given
}

// more gives a word a role that says more than the one that it has.
func (r *reader) more(i int, s slot, label string) {
	switch r.Roles[i].Kind {
	case Code, CodeFile, Program, Variable, Unclear:
		return
	}
	if s.writes {
		r.Roles[i].Writes = true
		return
	}
	r.give(i, s, label, false)
}
