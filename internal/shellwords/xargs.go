package shellwords

import "strings"

// xargs gives what it reads to another command. Split at NUL (-0) or at one character (-d) each item is one
// word of it, which is data where the command takes data; split at blanks and quotes an item can become
// several words, options among them.
func (r *reader) xargs(p *program, at, to int, via []string) {
	r.program(p, "xargs", at, to, via)
	inner := to
	for _, span := range r.Programs {
		if span.At > at && span.At < inner {
			inner = span.At
		}
	}
	separate, mark := false, ""
	for i := at + 1; i < inner; i++ {
		switch text := r.words[i].Text; {
		case !r.words[i].Fixed:
		case text == "--null" || strings.HasPrefix(text, "-d") || strings.HasPrefix(text, "--delimiter") ||
			strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "0") &&
				r.Roles[i].Kind == Option:
			separate = true
		case text == "-I" && i+1 < inner:
			mark = r.words[i+1].Text
		case strings.HasPrefix(text, "-I"):
			mark = text[2:]
		case text == "-i" || text == "--replace":
			mark = "{}"
		case strings.HasPrefix(text, "-i"):
			mark = text[2:]
		case strings.HasPrefix(text, "--replace="):
			mark = strings.TrimPrefix(text, "--replace=")
		}
	}
	r.Stdin = Arguments
	if separate && inner < to && r.itemsAreData(r.words[inner:to], mark) {
		r.Stdin = Data
	}
	for i := at + 1; r.Stdin == Arguments && i < inner; i++ {
		before, text := r.words[i-1].Text, r.words[i].Text
		if r.Roles[i].Kind == Argument &&
			(before == "-a" || before == "--arg-file" || strings.HasPrefix(text, "-a") ||
				strings.HasPrefix(text, "--arg-file=")) {
			r.Roles[i] = Role{Kind: CodeFile, Language: Arguments, Reader: "xargs -a",
				Cure: "name the file in the script, and write -0 or -d where its items are data"}
		}
	}
}

// itemsAreData reads the command with an item in its place: wherever the mark stands, or as a word at the end.
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
