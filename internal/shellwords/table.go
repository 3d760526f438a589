package shellwords

import (
	"fmt"
	"strings"
	"sync"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
)

// program is what a program does with its words: words of its row in commands.yaml.
type program struct {
	reader string // the reader of a program whose words follow no row alone
	// options are those that take an argument, and what the argument is.
	options options
	// flags are the options without an argument, for programs that run one of their operands: an option in
	// neither list may take an argument, and then the operands are others.
	flags string
	// operands are the roles of the operands; the last one goes on. None: plain data.
	operands []slot
	// instead are the operands once an option has given the code: awk -f prog FILE….
	instead []slot
	// subcommands are rows of their own for a program whose first operand names what it does.
	subcommands map[string]*program
	// plain are the other subcommands whose words are data. Where a row names some, nothing is known of the
	// words of one that it names nowhere.
	plain string

	parser catalogue.Parser // how it reads its options; "" for GetoptLong
	// opaque are the options with which it does more than can be told, and why says what.
	opaque, why, unless string

	stops    bool     // the first operand ends the options
	plus     bool     // words that begin with + are options too
	noEnd    bool     // "--" does not end the options
	environ  bool     // NAME=value words come before the operands
	mixed    bool     // and options may stand between them
	joined   bool     // code operands are joined by blanks to one text
	stdin    Language // what standard input is run as when nothing else gives the code
	always   bool     // standard input is run although something else gives code, too
	launcher bool     // runs some of its words, and which is not known: read from every program's name on
	inert    string   // options that make a wrapper run nothing: command -v
	input    string   // what a careful author should know of a value on standard input
	// brings are options with which files come into the directory whose names, or content, the operands pick.
	brings string
	safe   string // options of which one keeps SQL from running programs: sqlite3 -safe
}

// unknown is the row of every program that has none.
var unknown = &program{}

// rowsRead are the rows that were read, by what the catalogue says of them.
var rowsRead sync.Map

// rowOf returns the row of a program, by its name without a directory; nil where it has none.
func rowOf(name string) *program {
	n := catalogue.WordsOf(name)
	if n == nil {
		return nil
	}
	if row, ok := rowsRead.Load(n); ok {
		return row.(*program)
	}
	p, err := readProgram(*n)
	if err != nil {
		panic(fmt.Sprintf("commands.yaml, which is a part of this program: words of %s: %v", name, err)) // TestTable
	}
	row, _ := rowsRead.LoadOrStore(n, p)
	return row.(*program)
}

// slot is the role that a row gives to a word.
type slot struct {
	kind     Kind
	language Language
	dash     bool
	writes   bool
	remote   bool   // see Role
	enters   bool   // likewise
	check    string // likewise
	words    int    // how many words the option takes; 0 means 1
	glued    bool   // the argument only stands in the option's own word: mysql -psecret
	beside   bool   // runs something beside the program that an operand or standard input gives: node -r
	// starts: it names a program that is found among packages, and the words behind it are that program's.
	starts  bool
	files   bool   // of such a program: with a dot in its name it is a file
	ends    bool   // the words after the option's argument are the program's: python -c
	plain   string // words that a text may begin with which is not code then: .schema
	caution string // see Role
	obeyed  bool   // likewise
	atStart string
	cure    string
}

// options maps names of options to the role of their argument.
type options map[string]slot

// operand is data, and free is data whatever it begins with.
var (
	operand = slot{kind: Operand}
	free    = slot{kind: Operand, dash: true}
	plain   = slot{kind: Argument, dash: true}
)

func code(l Language, cure string) slot { return slot{kind: Code, language: l, cure: cure} }
func file(l Language) slot {
	return slot{kind: CodeFile, language: l, cure: "name the file in the script"}
}

// find looks an option up by its name as it stands in the command, and returns its full name. GNU programs
// take any beginning of a long option that is not ambiguous; of several that fit, the first that runs code
// counts.
func (o options) find(name string) (full string, s slot, ok bool) {
	if s, ok := o[name]; ok {
		return name, s, true
	}
	if !strings.HasPrefix(name, "--") || len(name) < 3 {
		return "", slot{}, false
	}
	for _, long := range sortedKeys(o) {
		if begins(long, name) && (!ok || o[long].dangerous() && !s.dangerous()) {
			full, s, ok = long, o[long], true
		}
	}
	return full, s, ok
}

func (s slot) dangerous() bool {
	switch s.kind {
	case Code, CodeFile, Program, Variable:
		return true
	}
	return false
}

// runs reports whether one of the words of the row is run.
func (p *program) runs() bool {
	for _, s := range p.operands {
		if s.dangerous() {
			return true
		}
	}
	return false
}
