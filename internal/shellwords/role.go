package shellwords

// Kind is what a word is to the program that gets it.
type Kind int

// The kinds.
const (
	Operand    Kind = iota // plain data
	Argument               // plain data that belongs to the option before it, or in front of it in the same word
	Option                 // a fixed option
	AnyOption              // begins with '-' and is not fixed: the rest picks the option
	Program                // names the program that runs
	Code                   // is run as code in Role.Language
	CodeFile               // names a file that is run as code in Role.Language
	Variable               // names a shell variable, or holds a subscript: bash evaluates it
	Format                 // a printf format
	Assignment             // NAME=value for the environment of a program
	Unclear                // it cannot be told what the word is
)

var kindNames = [...]string{
	"operand", "argument", "option", "any option", "program", "code", "code file", "variable", "format",
	"assignment", "unclear",
}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// Role is what one word is to the program that reads it.
type Role struct {
	Kind     Kind
	Language Language // of Code and CodeFile
	Reader   string   // the program, with the option in front of the word: "curl", "psql -c"
	Dash     bool     // a leading '-' is harmless here: the word is never read as an option
	Writes   bool     // names a file that the program writes
	// Named tells of a Program that another one knows by that name, as git knows log: the author may list
	// the names.
	Named bool
	// Operators tells that the program takes the words ! ( ) and , for operators here, as find does.
	Operators bool
	// Caution is what a careful author should know of a value anywhere in the word, AtStart of one that the
	// word begins with; "" for nothing.
	Caution, AtStart string
	// Obeyed tells that the program does what the file says which the word names; Caution says so.
	Obeyed bool
	Cure   string // what to write instead, for a word that must not be a value
	// Remote tells that a colon in front of every slash makes the name one of another machine, for which a
	// program is started.
	Remote bool
	// Enters tells that the word names a directory which the program, or what it starts, works in.
	Enters bool
	// Check is what a value in the word has to be at each call, as the table names it; "" for nothing.
	Check string
	// Unknown tells that the table has no row for the program: what it does with its words nobody here knows.
	Unknown bool
	// Needs is an option that is missing, without which the program runs more than Code of that language:
	// "" for none.
	Needs string
}

// Span is one program of a command: Words[At] names it, the words up to End are its own.
type Span struct {
	At, End int
	Via     []string // the wrappers in front of it, outermost first
}

// Text is one text that runs as code.
type Text struct {
	Language Language
	Text     string // for eval and its like the words joined by blanks, as they do it
	Fixed    bool   // false: the text is not known
	At       int    // the first word that it stands in
	Whole    bool   // it is exactly the word At
	// Parameters are the words that the code sees as $0, $1, …: those after bash -c '…'.
	Parameters []int
}

// Reading is a command read word by word.
type Reading struct {
	Roles    []Role // one for each word
	Programs []Span // what runs, in the order of the words
	Code     []Text
	Stdin    Language // what standard input is run as
	Unknown  string   // why it cannot be told what runs
	// InputOf is the program that obeys its standard input, and Input what a careful author should know of a
	// value there; "" where that is not known.
	Input, InputOf string
	// Brings is the program that has files come into the directory by names, or with content, that its
	// operands pick; "" for none.
	Brings string
	// Assumed are words that are not fixed and were taken for one operand each; with a leading '-' they
	// would be options, and the words after them could mean something else.
	Assumed []int

	given []ParsedOption // among the words, in their order
}
