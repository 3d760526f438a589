package shellwords

import (
	"strings"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
)

// maxDepth bounds how many programs may stand in front of each other (env timeout nice …).
const maxDepth = 16

// Read reads a command word by word, by what is known of programs. Words that no rule speaks about are plain
// operands.
func Read(words []Word, commands *catalogue.Catalogue) Reading { return read(words, commands, 0) }

func read(words []Word, commands *catalogue.Catalogue, depth int) Reading {
	r := &reader{
		words: words, texts: make([]string, len(words)), depth: depth, commands: commands,
		Reading: Reading{Roles: make([]Role, len(words))},
	}
	for i, w := range words {
		r.texts[i] = w.Text
	}
	r.command(0, len(words), nil)
	return r.Reading
}

type reader struct {
	Reading
	words []Word
	texts []string // of the words
	depth int      // how many launchers this reading stands in

	commands *catalogue.Catalogue
}

// command reads the words from at on as a command of their own.
func (r *reader) command(at, to int, via []string) {
	if at >= to {
		return
	}
	w := r.words[at]
	r.Roles[at] = Role{Kind: Program, Reader: reader0(via), Cure: "name the command in the script"}
	r.Programs = append(r.Programs, Span{At: at, End: to, Via: via})
	switch {
	case !w.Fixed:
		r.unclear(at+1, to, "a command that is not fixed", "the command is not fixed")
		return
	case len(via) >= maxDepth:
		r.unclear(at+1, to, Base(w.Text), "too many programs in front of each other")
		return
	}
	name := Base(w.Text)
	defer r.addedOptions(name, at, to)
	p := rowOf(name)
	if p == nil {
		p = unknown
	}
	if special := p.special(); special != nil {
		special(r, p, at, to, via)
		r.verb(name, at, to)
		return
	}
	r.program(p, name, at, to, via)
	r.verb(name, at, to)
}

func reader0(via []string) string {
	if len(via) == 0 {
		return "the shell"
	}
	return via[len(via)-1]
}

// program reads the words after at by a row. label is the program as messages name it.
func (r *reader) program(p *program, label string, at, to int, via []string) {
	items := r.items(p, at, to)
	if sub, i := p.subcommand(r.words, items); sub != nil {
		r.options(p, items[:i], label)
		r.Roles[items[i].at] = Role{Kind: Option, Reader: label}
		r.program(sub, label+" "+r.words[items[i].at].Text, items[i].at, to, via)
		return
	}
	strange := p.strange(r.words, items)
	if strange > 0 && r.words[strange].Fixed {
		label += " " + r.words[strange].Text
	}
	slots, given := p.operands, givesCode(items)
	if given && p.instead != nil {
		slots = p.instead
	}
	if p.stdin != Data && (p.always || !given && !r.hasCode(items, slots)) {
		r.Stdin = p.stdin
	}
	if p.input != "" && !given {
		r.Input, r.InputOf = p.input, label
	}
	if p.brings != "" && r.hasFiles(p, items) {
		r.Brings = label
	}
	r.options(p, items, label)
	if p.inert != "" && r.hasOption(items, p.inert) {
		slots = []slot{operand}
	}
	r.operands(p, items, slots, label, to, via)
	r.subcommandGiven(p, items, label)
	if n := len(items); n > 0 && items[n-1].startsProgram() {
		r.command(items[n-1].at+1, to, append(via[:len(via):len(via)], label))
	}
	switch {
	case p == unknown && !catalogue.Builtin(label):
		r.unknown(label, at+1, to)
	case strange > 0:
		r.unknown(label, strange, to)
	}
	if p.safe != "" {
		r.needs(p.safe, at, to)
	}
	if p.launcher || p == unknown {
		r.launch(p == unknown, at, to)
	}
}

// unknown notes that nothing is known of what a program does with its words from at on, and with its input.
func (r *reader) unknown(label string, at, to int) {
	r.InputOf = label
	for i := at; i < to; i++ {
		r.Roles[i].Unknown = true
	}
}

// needs notes which words the program would run too much of: all, without one of its safe options; with
// one, the options that are carried out before it is read.
func (r *reader) needs(safe string, at, to int) {
	option, _, _ := strings.Cut(safe, " ")
	safeAt := to
	for i := to - 1; i > at; i-- {
		if r.Roles[i].Kind == Option && r.words[i].Fixed && listed(safe, r.words[i].Text) {
			safeAt = i
		}
	}
	for i := at + 1; i < safeAt; i++ {
		if safeAt == to || strings.Contains(r.Roles[i].Reader, " ") {
			r.Roles[i].Needs = option
		}
	}
}

// subcommand finds the row of the first operand, or of the next one where the first may be the value of an
// option in front of it that the row does not know: pip --proxy URL install.
func (p *program) subcommand(words []Word, items []item) (*program, int) {
	for i, it := range items {
		if !it.operand {
			continue
		}
		w := words[it.at]
		if !w.Fixed {
			break
		}
		if sub := p.subcommands[w.Text]; sub != nil {
			return sub, i
		}
		if i == 0 || items[i-1].operand || items[i-1].takes {
			break
		}
	}
	return nil, 0
}

// strange finds the first operand where it is no subcommand that the row names; 0 where it is one, or the row
// does not list them. The value of an option that the row does not know may stand in front of it.
func (p *program) strange(words []Word, items []item) (at int) {
	for i, it := range items {
		switch {
		case p.plain == "":
			return 0
		case !it.operand:
		case words[it.at].Fixed && listed(p.plain, words[it.at].Text):
			return 0
		case i == 0 || items[i-1].operand || items[i-1].takes:
			return it.at
		default:
			at = it.at
		}
	}
	return at
}

func givesCode(items []item) bool {
	for _, it := range items {
		if it.takes && (it.slot.kind == Code || it.slot.kind == CodeFile) && !it.slot.beside {
			return true
		}
	}
	return false
}

// hasCode reports whether one of the operands is code, or names a file of code that is not standard input.
func (r *reader) hasCode(items []item, slots []slot) bool {
	n := 0
	for _, it := range items {
		if !it.operand || it.assigned {
			continue
		}
		if s := slotAt(slots, n); s.dangerous() && !isStdin(r.words[it.at]) {
			return true
		}
		n++
	}
	return false
}

func (r *reader) hasOption(items []item, names string) bool {
	for _, it := range items {
		for _, name := range strings.Fields(names) {
			if !it.operand && strings.HasPrefix(r.words[it.at].Text, name) {
				return true
			}
		}
	}
	return false
}

// hasFiles reports whether a program with these words has files come by names that they pick: one of its
// options says so, and none names the file.
func (r *reader) hasFiles(p *program, items []item) bool {
	brings := p.brings == "always"
	for _, it := range items {
		if it.operand {
			continue
		}
		if it.takes && it.slot.writes && !it.slot.enters {
			return false
		}
		text := r.words[it.at].Text
		if it.glued && len(it.option) == 2 {
			text, _, _ = strings.Cut(text, it.option[1:])
		}
		for name := range strings.FieldsSeq(p.brings) {
			letter := len(name) == 2 && strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") &&
				strings.Contains(text, name[1:])
			brings = brings || text == name || letter
		}
	}
	return brings
}

// options gives their roles to the options and to what belongs to them.
func (r *reader) options(p *program, items []item, label string) {
	behind := false // an operand
	for _, it := range items {
		if it.operand {
			behind = behind || !it.assigned
			continue
		}
		r.list(p, it, behind)
		reader := label + " " + it.option
		switch w := r.words[it.at]; {
		case it.picks:
			r.Roles[it.at] = Role{Kind: AnyOption, Reader: label,
				Cure: "write the option in the script, or declare the parameter as an enum or an integer"}
		case it.glued && !w.Fixed:
			r.give(it.at, it.slot, reader, true)
		case it.glued && it.slot.kind == CodeFile && isStdin(Word{Text: it.text, Fixed: true}):
			r.Roles[it.at], r.Stdin = Role{Kind: Option, Reader: label}, it.slot.language
		case it.glued && it.slot.kind == Code:
			r.Roles[it.at] = Role{Kind: Option, Reader: label}
			r.Code = append(r.Code, Text{Language: it.slot.language, Text: it.text, Fixed: true, At: it.at})
		case it.glued && it.slot.writes:
			r.Roles[it.at] = Role{Kind: Option, Reader: label, Writes: true}
		default:
			r.Roles[it.at] = Role{Kind: Option, Reader: label}
		}
		for _, i := range it.args {
			r.give(i, it.slot, reader, true)
		}
	}
}

// give makes word i what a slot says.
func (r *reader) give(i int, s slot, label string, dash bool) {
	w := r.words[i]
	if s.plain != "" && !w.Fixed && !w.Splits {
		if first, _, more := strings.Cut(w.Text, " "); more && listed(s.plain, first) {
			r.Roles[i] = Role{Kind: Argument, Reader: label + " " + first, Dash: true}
			return
		}
	}
	r.Roles[i] = Role{Kind: s.kind, Language: s.language, Reader: label, Dash: dash, Writes: s.writes,
		Caution: s.caution, Obeyed: s.obeyed, AtStart: s.atStart, Cure: s.cure, Remote: s.remote, Enters: s.enters, Check: s.check}
	switch s.kind {
	case Code:
		r.Code = append(r.Code, Text{Language: s.language, Text: w.Text, Fixed: w.Fixed, At: i, Whole: true})
	case CodeFile:
		if isStdin(w) {
			r.Stdin = s.language
		}
	default:
		if s.caution != "" && isStdin(w) && w.Text != "-" {
			r.Input, r.InputOf = s.caution, label
		}
	}
}

// isStdin reports whether a word names standard input.
func isStdin(w Word) bool {
	if !w.Fixed {
		return false
	}
	switch w.Text {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return true
	}
	return false
}

// operands gives their roles to the operands, and goes on to the program that one of them names.
func (r *reader) operands(p *program, items []item, slots []slot, label string, to int, via []string) {
	n := 0
	vague := false // an option or a word that splits stood before: the count may be wrong
	var joined []int
	for _, it := range items {
		w := r.words[it.at]
		if !it.operand {
			vague = vague || !it.known && !it.glued || it.picks
			continue
		}
		if it.assigned {
			r.Roles[it.at] = Role{Kind: Assignment, Reader: label, Dash: true}
			continue
		}
		s := slotAt(slots, n)
		n++
		if !w.Fixed && w.Text == "" && !it.ended {
			r.Assumed = append(r.Assumed, it.at)
		}
		splits := w.Splits && s.kind != Program
		if vague || splits {
			s = worst(s, slots)
		}
		if splits && s.kind != Code && (s.dangerous() || !it.ended && p.risky()) {
			s = slot{kind: Unclear, cure: "write the options out, each as a word of its own"}
		}
		vague = vague || splits
		if s.kind == AnyOption && it.ended {
			s = free
		}
		if before := r.words[it.at-1]; before.Splits && !it.ended && p.risky() && !s.dangerous() {
			s = slot{kind: Unclear, cure: "put -- in front of it, so that nothing before it can be an option that takes it"}
		}
		switch {
		case s.kind == Program && vague:
			r.unclear(it.at, to, label, "the options of "+label+" cannot be told from its command")
			return
		case s.kind == Program:
			r.command(it.at, to, append(via[:len(via):len(via)], label))
			return
		case s.kind == Code && p.joined:
			joined = append(joined, it.at)
			r.Roles[it.at] = Role{Kind: Code, Language: s.language, Reader: label, Dash: it.ended, Cure: s.cure}
		default:
			r.give(it.at, s, label, it.ended || s.dash)
			script := s.kind == CodeFile && catalogue.In(catalogue.Scripts, Base(w.Text)) // python3 manage.py
			if (s.starts && !(s.files && strings.Contains(Base(w.Text), ".")) || script) && w.Fixed && !vague {
				r.started(w.Text, it.at, to, via)
				return
			}
		}
	}
	r.join(joined)
}

// started reads the words behind at as those of a program that another one finds by its name.
func (r *reader) started(name string, at, to int, via []string) {
	row := rowOf(Base(name))
	if row == nil || row.reader != "" {
		row = unknown
	}
	r.program(row, name, at, to, via)
	r.verb(Base(name), at, to)
}

// join makes one text of the words that a program joins.
func (r *reader) join(at []int) {
	if len(at) == 0 {
		return
	}
	text := Text{Language: r.Roles[at[0]].Language, Fixed: true, At: at[0], Whole: len(at) == 1}
	var parts []string
	for _, i := range at {
		parts = append(parts, r.words[i].Text)
		text.Fixed = text.Fixed && r.words[i].Fixed
	}
	text.Text = strings.Join(parts, " ")
	r.Code = append(r.Code, text)
}

// worst returns the most dangerous role that an operand could have.
func worst(s slot, slots []slot) slot {
	for _, other := range slots {
		if !s.dangerous() && other.dangerous() {
			return other
		}
	}
	return s
}

// risky reports whether one of the options runs something.
func (p *program) risky() bool {
	for _, s := range p.options {
		if s.dangerous() {
			return true
		}
	}
	return false
}

// unclear gives up on the words from at on.
func (r *reader) unclear(at, to int, label, why string) {
	if r.Unknown == "" {
		r.Unknown = why
	}
	for i := at; i < to; i++ {
		r.Roles[i] = Role{Kind: Unclear, Reader: label, Cure: "name the command in the script"}
	}
}

// The bounds of launch, so that a row of launchers costs no more than its square.
const (
	maxLaunchDepth = 2
	maxLaunchWords = 64
)

// launch looks for programs that run code among the words of a program that may run some of its words: in
// docker run IMAGE sh -c '…' nobody but docker knows which word is the command. Only words that turn out to
// be code are taken over. What only a shell does itself is no program that could be started: docker history.
// For a program that is not known at all, only code that an option announces (bash -c) counts, so that apt
// install python3 means nothing.
func (r *reader) launch(unknown bool, at, to int) {
	if r.depth >= maxLaunchDepth {
		return
	}
	first := at + 1
	if name := Base(r.words[at].Text); catalogue.In(catalogue.Verbs, name) && first < to && r.words[first].Fixed {
		first++ // npm view is no editor
	}
	for i := first; i < min(to, at+maxLaunchWords); i++ {
		if w := r.words[i]; !w.Fixed || !runsCode(Base(w.Text)) || catalogue.In(catalogue.ShellState, w.Text) {
			continue
		}
		inner := read(r.words[i:to], r.commands, r.depth+1)
		for _, text := range inner.Code {
			if unknown && !announced(r.words[i:to], text) {
				continue
			}
			r.Roles[i+text.At] = inner.Roles[text.At]
			r.addCode(text.shifted(i))
		}
		if unknown {
			continue
		}
		for k, role := range inner.Roles {
			if role.Kind == CodeFile || role.Kind == Unclear || role.Kind == Variable {
				r.Roles[i+k] = role
			}
		}
		if r.Stdin == Data {
			r.Stdin = inner.Stdin
		}
	}
}

// addCode adds a text unless one at its place is known.
func (r *reader) addCode(text Text) {
	for _, other := range r.Code {
		if other.At == text.At {
			return
		}
	}
	r.Code = append(r.Code, text)
}

// shifted moves a text by some words.
func (t Text) shifted(by int) Text {
	t.At += by
	parameters := make([]int, len(t.Parameters))
	for i, at := range t.Parameters {
		parameters[i] = at + by
	}
	t.Parameters = parameters
	return t
}

// announced reports whether an option stands right before the code.
func announced(words []Word, text Text) bool {
	return text.At > 0 && words[text.At-1].Fixed && strings.HasPrefix(words[text.At-1].Text, "-")
}

// runsCode reports whether a program runs some of its words.
func runsCode(name string) bool {
	p := rowOf(name)
	switch {
	case p == nil, p.reader == "test":
		return false
	case p.reader != "":
		return true
	}
	return p.runs() || p.risky()
}
