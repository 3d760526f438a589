package shellwords

import "strings"

// ParsedOption is an option that stands among the words of a program.
type ParsedOption struct {
	Name string // as the row of the program spells it, in full
	At   int    // the word that it stands in
	// Value is what it was given, and ValueAt the word that this stands in: At where it is the option's own.
	// 0 where it was given nothing.
	Value   Word
	ValueAt int
	// Starts tells that the value is a program, which runs.
	Starts bool
	// Opaque says why it cannot be told with the option what the program does; "" where it can.
	Opaque string
}

// Options returns the options among the words of a program of the command, without those of what it runs.
func (r *Reading) Options(n int) []ParsedOption {
	span := r.Programs[n]
	end := span.End
	if n+1 < len(r.Programs) {
		end = min(end, r.Programs[n+1].At)
	}
	var all []ParsedOption
	for _, o := range r.given {
		if o.At > span.At && o.At < end {
			all = append(all, o)
		}
	}
	return all
}

// list notes the options that were read in a word. behind tells that an operand stands in front of it.
func (r *reader) list(p *program, it item, behind bool) {
	for _, o := range it.read {
		given := ParsedOption{Name: p.fullName(o.Name), At: it.at}
		for _, value := range o.Values {
			given.ValueAt, given.Value = value.At, r.words[value.At]
			if !value.Own {
				given.Value.Text = value.Text
			}
		}
		_, s, _ := p.options.find(o.Name)
		given.Starts = s.kind == Program
		// What stands behind a subcommand is an option of that.
		if listed(p.opaque, given.Name) && !(behind && p.plain != "") && !p.isHarmless(given.Value) {
			given.Opaque = p.why
		}
		r.given = append(r.given, given)
	}
}

// isHarmless reports whether an opaque option does nothing more with a value.
func (p *program) isHarmless(value Word) bool { return value.Fixed && listed(p.unless, value.Text) }

// HarmlessOption reports whether a program does nothing more with one of its opaque options, given its value:
// git -c core.pager=cat.
func HarmlessOption(name, option, value string) bool {
	p := rowOf(name)
	return p != nil && listed(p.opaque, option) && listed(p.unless, value)
}

// fullName returns the name of an option that may be written shorter.
func (p *program) fullName(name string) string {
	if listed(p.flags, name) {
		return name
	}
	if full, _, ok := p.options.find(name); ok {
		return full
	}
	for flag := range strings.FieldsSeq(p.flags) {
		if begins(flag, name) {
			return flag
		}
	}
	return name
}

// begins reports whether a name is a beginning of a long one, which programs of GNU take for it where no
// other option begins so.
func begins(long, name string) bool {
	return len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(long, name)
}
