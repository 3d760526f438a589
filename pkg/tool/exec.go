package tool

// Exec is what a tool runs that is no script: a program, started without a shell.
type Exec struct {
	Command string   // a name, to be found where calls look for programs, or an absolute path
	Argv    []string // the words that every call begins with: subcommands
	// EndOfFlags has -- stand in front of the arguments, so that the first is none of the commands below.
	EndOfFlags bool
	SHA256     string // of the program's file, in hex digits; "" for any
	// Pin refuses calls where the program's file has another hash than SHA256. Without it they say so.
	Pin bool
}

// FlagForm says how a value is written behind the flag of a program.
type FlagForm string

// The forms. FormEqual, which every parser of long flags reads, is one word: --flag=value. A truth value is
// --flag=true or --flag=false there, a list one word for each item, and an object one word for each member,
// --flag=key=value.
const (
	FormEqual   FlagForm = ""        // --flag=value; of a flag of one letter -fvalue
	FormCSV     FlagForm = "csv"     // the program reads each value as a line of CSV: what needs quotes gets them
	FormPlain   FlagForm = "plain"   // the program splits values at commas, and nothing can quote one
	FormPresent FlagForm = "present" // a truth value: the flag alone, or nothing
	FormCount   FlagForm = "count"   // a number: the flag so many times
	FormApart   FlagForm = "apart"   // two words: --flag value
)

// FlagForms lists the forms that a file can name, in the order that messages name them.
func FlagForms() []FlagForm {
	return []FlagForm{FormCSV, FormPlain, FormPresent, FormCount, FormApart}
}

// flagsMember is the member of a call's arguments that holds those which become flags.
const flagsMember = "flags"

// isFlag reports whether the value of the parameter is written behind a flag.
func (p *Parameter) isFlag() bool { return p.Flag != "" }

// leftOut reports whether a value is as good as none for a flag: null, an empty text, list or object.
func (p *Parameter) leftOut(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == "" && !p.PassEmpty
	case []any:
		return len(v) == 0 && !p.PassEmpty
	case map[string]any:
		return len(v) == 0 && !p.PassEmpty
	}
	return false
}

// flatten returns the arguments of a call of a program by the names of the parameters: those of flags stand in
// an object of their own (flags), the words (args) beside it. What is as good as not given is gone.
func (t *Tool) flatten(given map[string]any) (flat map[string]any, at func(name string) string, wrong []misfit) {
	at = func(name string) string {
		for i := range t.Parameters {
			if p := &t.Parameters[i]; p.Name == name && p.isFlag() {
				return memberPath(flagsMember, name)
			}
		}
		return memberPath("", name)
	}
	flat = map[string]any{}
	flags := map[string]any{}
	switch v := given[flagsMember].(type) {
	case nil:
	case map[string]any:
		flags = v
	default:
		wrong = append(wrong, misfit{flagsMember, "want an object with a member for each flag, found " + showValue(v)})
	}
	var names, words []string
	for i := range t.Parameters {
		p := &t.Parameters[i]
		from := given
		if p.isFlag() {
			from = flags
			names = append(names, p.Name)
		} else {
			words = append(words, p.Name)
		}
		if value, ok := from[p.Name]; ok && !p.leftOut(value) {
			flat[p.Name] = value
		}
	}
	wrong = append(wrong, unknown(flagsMember, "parameter", flags, names)...)
	wrong = append(wrong, unknown("", "parameter", given, append(words, flagsMember))...)
	return flat, at, wrong
}
