package shellwords

import "strings"

// xargs gives what it reads to another command. Split at NUL (-0) or at one character (-d) each item is one
// word of it, which is data where the command takes data; split at blanks and quotes an item can become
// several words, options among them.
func (r *reader) xargs(p *program, at, to int, via []string) {
	r.program(p, "xargs", at, to, via)
	inner := to
	for _, span := range r.Programs {
		if span.At > at {
			inner = min(inner, span.At)
		}
	}
	separate, mark := false, ""
	for _, o := range r.given {
		if o.At < at || o.At >= inner {
			continue
		}
		switch o.Name {
		case "-0", "--null", "-d", "--delimiter":
			separate = true
		case "-I", "-i", "--replace":
			if mark = o.Value.Text; o.ValueAt == 0 {
				mark = "{}"
			}
		}
	}
	r.Stdin = Arguments
	if separate && inner < to && r.itemsAreData(r.words[inner:to], mark) {
		r.Stdin = Data
	}
	for _, o := range r.given {
		file := o.At > at && o.At < inner && (o.Name == "-a" || o.Name == "--arg-file")
		if file && r.Stdin == Arguments && r.Roles[o.ValueAt].Kind == Argument {
			r.Roles[o.ValueAt] = Role{Kind: CodeFile, Language: Arguments, Reader: "xargs -a",
				Cure: "name the file in the script, and write -0 or -d where its items are data"}
		}
	}
}

// itemsAreData reads the command with an item in its place: wherever the mark stands, or as a word at the
// end.
func (r *reader) itemsAreData(words []Word, mark string) bool {
	if r.depth >= maxLaunchDepth {
		return false
	}
	var filled []Word
	items := map[int]bool{}
	for i, w := range words {
		if before, _, ok := strings.Cut(w.Text, mark); ok && mark != "" && w.Fixed {
			w = Word{Text: before}
			items[i] = true
		}
		filled = append(filled, w)
	}
	if mark == "" {
		items[len(filled)] = true
		filled = append(filled, Word{})
	}
	reading := read(filled, r.commands, r.depth+1)
	if reading.Unknown != "" || reading.Stdin != Data {
		return false
	}
	last := reading.Programs[len(reading.Programs)-1]
	for i := range items {
		role := reading.Roles[i]
		if role.Kind != Operand && role.Kind != Argument {
			return false
		}
		// An item that begins with '-' is an option. That is harmless only where no option runs anything.
		if !role.Dash && filled[i].Text == "" && !r.harmless(Base(filled[last.At].Text)) {
			return false
		}
	}
	return true
}

// harmless reports whether no option of a program runs anything. Of a program that is not in the table
// nobody knows. A program with a reader of its own does what is in no row: -exec and -delete of find.
func (r *reader) harmless(name string) bool {
	p := rowOf(name)
	return p != nil && len(r.commands.Added(name)) == 0 && p.special() == nil && !p.risky() && !p.runs() && !p.launcher
}
