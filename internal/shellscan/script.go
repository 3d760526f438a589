// Package shellscan lists the commands that a shell text can run and the files that it can write.
//
// It reads the text as bash would, through mvdan.cc/sh's syntax tree, never by pattern: denylists over
// shell text are bypassed more often than not (arXiv 2606.15549). Whatever it cannot tell is a Problem, and
// no rule approves a text with a Problem.
//
// There are three kinds of Problem: what depends on a value, such as a command called "$x" or arithmetic on
// a variable; what changes the meaning of other words, such as PATH=…, aliases and options of the shell; and
// what bash and the parser are known to read differently (see regions.go).
//
// The shell is assumed to be bash, 4.4 or later, not interactive and without start-up files. An agent may
// use another one: a text that sh, zsh or fish are known to read as another command is a Problem (see
// othershells.go), and Script.Unlike names what is not known to be read alike (see readalike.go). Programs in
// other languages (awk, sed, python, make, SQL) are not read: they stand in Args.
package shellscan

// Script is what one shell text can do.
type Script struct {
	Commands []Command
	Writes   []Write
	Reads    []Read
	Problems []Problem
	// Variables are the names of the variables of which the text uses the value, each once: "TOKEN", "1", "@". Those are not among
	// them that hold what the text itself has given them, nor those that everybody may see, like HOME.
	Variables []string
	// Sets are the names of the variables that the text gives a value, each once: not those of loops,
	// none that nothing but the text uses, and none that programs which only read are known to do nothing by.
	Sets []string
	// SetsMore are the names of the variables that the text gives a value which is more than a plain word (see
	// IsPlainValue), or which nobody knows, each once.
	SetsMore []string
	// Enters is the directory that the first cd of the text goes to, as written, when nothing runs in any
	// other before it or without it: cd DIR && …; "" where that is not so.
	Enters string
	// Steps are the directories that the text goes to, as written, one after the other, when it is one list
	// of && in which every cd is a part by itself: what stands behind a cd runs where that one has gone to,
	// or not at all. Nil where that is not so. Loose: it is several such lists, one after the other, so that this only holds where
	// none of the cds fails.
	Steps []string
	Loose bool
	// Unlike is the first part of the text that is not among what all shells of bash's kin read as it does:
	// sh, zsh, fish and others. "" where there is none. An argument vector has none, since no shell reads it.
	Unlike string
	// Redirections are those of several commands at once, and of none, as written, for people: "{ …; } > out", "> out".
	Redirections []string
	// Plain reports that shells read the text alike which are no kin of bash's, too.
	Plain bool
}

// Certain reports whether Commands, Writes and Reads are all there is.
func (s *Script) Certain() bool { return len(s.Problems) == 0 }

// Command is one program or builtin that the text can start. Functions of the text are not commands: their
// bodies are read where they are defined.
type Command struct {
	Name    string // as written, quoting resolved: "ls", "./ls" and "/tmp/ls" are three names
	Args    []Word
	Builtin bool   // bash does it itself
	Via     string // the wrappers in front of it: "env timeout"
	Line    int    // from 1
	// Finder are the words of the command, its program first, whose names of files are given to it, where one of Args is Found:
	// of a find, or another that prints names and nothing else.
	Finder []Word
	// Redirections are those behind the command, as written, for people: "> out", "2>&1".
	Redirections []string
}

// Word is one argument.
type Word struct {
	Text  string
	Fixed bool // false: the text depends on a variable, a substitution or a pattern, and Text means nothing

	// Pattern is the word as a pattern that bash replaces by the names of files, when that is all that is
	// not fixed about it. Only * and ? stand for other characters; a backslash takes the meaning from the
	// character behind it.
	Pattern string
	// Printed tells that nothing of a word that is not fixed is unknown but what commands of the text
	// print, which are among Commands, numbers like $?, and what everybody may see, like $HOME. It is one word then. PrintedMany:
	// it is one word of that, or several.
	Printed, PrintedMany bool
	// Pipe tells that the word is the name of a pipe from which the program reads what commands of the text
	// print: <(…).
	Pipe bool
	// Found tells that the word is the name of a file that a command of the text has printed, whole: of a find one of its starting
	// points, or below one. FoundMany: it is one or more words of these names, which may be parts of them (xargs splits at
	// blanks).
	Found, FoundMany bool
}

// Write is a file that the text itself writes, by redirection or by an option such as find's -fprint.
// /dev/null is none.
//
// Path is as written. A cd in front of it, or a wrapper that changes the directory, moves what a relative
// path means.
type Write struct {
	Path  string
	Fixed bool // false: Path means nothing
	Line  int
}

// Read is a file that the text itself reads, by redirection: it stands in no command's Args. One that is
// not fixed is a Problem instead.
type Read struct {
	Path string // as written
	Line int
}

// Problem is something that cannot be told.
type Problem struct {
	Line int
	Text string
}
