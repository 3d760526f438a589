package shellwords

// Language is what a word is written in when a program runs it as code. The names are those that messages
// use.
type Language string

// The languages. Those with one program only bear its name.
const (
	Data       Language = "" // not code
	Shell      Language = "shell"
	SQL        Language = "SQL"
	Awk        Language = "awk"
	Sed        Language = "sed"
	JQ         Language = "jq"
	YQ         Language = "yq"
	Python     Language = "python"
	Perl       Language = "perl"
	Ruby       Language = "ruby"
	JavaScript Language = "javascript"
	PHP        Language = "php"
	Lua        Language = "lua"
	R          Language = "R"
	Tcl        Language = "tcl"
	Arithmetic Language = "arithmetic"
	Editor     Language = "editor"
	Debugger   Language = "debugger"
	Calculator Language = "calculator"
	Makefile   Language = "make"
	Settings   Language = "configuration" // settings that can name programs to run
	Arguments  Language = "arguments"     // words for another command, split at blanks and quotes
)
