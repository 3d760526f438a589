package shellwords

import "strings"

// program is one row of the table: what a program does with its words.
type program struct {
	// options are those that take an argument, and what the argument is. One key may hold several names.
	options options
	// flags are the options without an argument, for programs that run one of their operands: an option in neither list
	// may take an argument, and then the operands are others.
	flags string
	// operands are the roles of the operands; the last one goes on. None: plain data.
	operands []slot
	// instead are the operands once an option has given the code: awk -f prog FILE….
	instead []slot
	// subcommands are rows of their own for a program whose first operand names what it does.
	subcommands map[string]*program

	stops    bool     // the first operand ends the options
	plus     bool     // words that begin with + are options too
	long     bool     // options are whole words (-name), never letters in a row
	dash     bool     // there are no options: a leading '-' is data
	noEnd    bool     // "--" does not end the options
	environ  bool     // NAME=value words come before the operands
	mixed    bool     // and options may stand between them
	joined   bool     // code operands are joined by blanks to one text
	stdin    Language // what standard input is run as when nothing else gives the code
	always   bool     // standard input is run although something else gives code, too
	launcher bool     // runs some of its words, and which is not known: read from every program's name on
	inert    string   // options that make a wrapper run nothing: command -v
	safe     string   // options of which one keeps SQL from running programs: sqlite3 -safe
}

// slot is the role that a row gives to a word.
type slot struct {
	kind     Kind
	language Language
	dash     bool
	writes   bool
	remote   bool   // see Role
	words    int    // how many words the option takes; 0 means 1
	glued    bool   // the argument only stands in the option's own word: mysql -psecret
	beside   bool   // runs something beside the program that an operand or standard input gives: node -r
	ends     bool   // the words after the option's argument are the program's: python -c
	plain    string // words that a text may begin with which is not code then: .schema
	caution  string // see Role
	atStart  string
	cure     string
}

// options maps names of options to the role of their argument.
type options map[string]slot

// The roles that rows are written with.
var (
	plain   = slot{kind: Argument, dash: true}
	operand = slot{kind: Operand}
	free    = slot{kind: Operand, dash: true}
	output  = slot{kind: Argument, dash: true, writes: true}
	command = slot{kind: Program}
	name    = slot{kind: Variable, cure: "write the variable's name in the script"}
	format  = slot{kind: Format, caution: `the value is a printf format: % and \ in it are interpreted; write printf '%s' and the value after it`}
)

func code(l Language, cure string) slot { return slot{kind: Code, language: l, cure: cure} }
func file(l Language) slot {
	return slot{kind: CodeFile, language: l, cure: "name the file in the script"}
}
func careful(caution string) slot { return slot{kind: Argument, dash: true, caution: caution} }
func carefulAtStart(atStart string) slot {
	return slot{kind: Argument, dash: true, atStart: atStart}
}
func two(s slot) slot       { s.words = 2; return s }
func gluedOnly(s slot) slot { s.glued = true; return s }
func beside(s slot) slot    { s.beside = true; return s }
func ending(s slot) slot    { s.ends = true; return s }

// rows makes a table in which every name of a key has a row of its own.
func rows(tables ...map[string]*program) map[string]*program {
	all := map[string]*program{}
	for _, table := range tables {
		for names, p := range table {
			p.options = p.options.split()
			for _, sub := range p.subcommands {
				sub.options = sub.options.split()
			}
			for _, name := range strings.Fields(names) {
				all[name] = p
			}
		}
	}
	return all
}

func (o options) split() options {
	all := options{}
	for names, s := range o {
		for _, name := range strings.Fields(names) {
			all[name] = s
		}
	}
	return all
}

// find looks an option up by its name as it stands in the command. GNU programs take any beginning of a long option that
// is not ambiguous; of several that fit, the one that runs code counts.
func (o options) find(name string) (slot, bool) {
	if s, ok := o[name]; ok {
		return s, true
	}
	if !strings.HasPrefix(name, "--") || len(name) < 4 {
		return slot{}, false
	}
	var found slot
	ok := false
	for long, s := range o {
		if strings.HasPrefix(long, name) && (!ok || s.dangerous()) {
			found, ok = s, true
		}
	}
	return found, ok
}

func (s slot) dangerous() bool {
	switch s.kind {
	case Code, CodeFile, Program, Variable:
		return true
	}
	return false
}

// runs tells whether one of the words of the row is run.
func (p *program) runs() bool {
	for _, s := range p.operands {
		if s.dangerous() {
			return true
		}
	}
	return false
}
