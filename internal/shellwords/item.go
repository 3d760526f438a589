package shellwords

import (
	"strings"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
)

// item is one option with what belongs to it, or one operand, or the "--" between them.
type item struct {
	at       int
	option   string // the option's name, "" for an operand
	operand  bool
	known    bool   // the option is in the row
	slot     slot   // of the option's argument, when it takes one
	takes    bool   // it takes one
	glued    bool   // which stands in the same word, after the name
	text     string // the glued argument, as far as it is fixed
	args     []int  // the words behind that are its argument
	read     []catalogue.Option
	picks    bool // the word is not fixed and picks an option
	ended    bool // no option can stand here
	assigned bool // NAME=value in front of the operands
}

// items reads the words of a program by its options. It stops at the word that names a further program.
func (r *reader) items(p *program, at, to int) []item {
	var items []item
	options, operands := r.reader(p, at+1, to), 0
	for options.More() {
		read := options.Next()
		w := r.words[read.At]
		if !read.Operand {
			items = append(items, p.items(read, w)...)
			switch last := items[len(items)-1]; {
			case last.startsProgram():
				return items
			case last.takes && last.slot.ends:
				options.End()
			}
			continue
		}
		it := item{at: read.At, operand: true, ended: read.Ended}
		it.assigned = p.environ && operands == 0 && isAssignment(w.Text)
		items = append(items, it)
		if !it.assigned {
			if p.slotFor(operands).kind == Program {
				return items
			}
			operands++
		}
		if p.stops && !(it.assigned && p.mixed) {
			options.End()
		}
	}
	return items
}

// reader returns the reader of the words from at on by the options of a row. Those that the row does not
// know are taken for options without an argument.
func (r *reader) reader(p *program, at, to int) *catalogue.Reader {
	options := &catalogue.Reader{
		Parser: catalogue.GetoptLong, Kind: p.kind, Words: r.texts[:to], At: at, First: at,
		Open: func(at int) bool { return !r.words[at].Fixed }, Loose: true, NoEnd: p.noEnd, Plus: p.plus,
	}
	if p.parser != "" {
		options.Parser = p.parser
	}
	return options
}

// kind says what an option is to the reader of options.
func (p *program) kind(name string) catalogue.Kind {
	switch _, s, takes := p.options.find(name); {
	case listed(p.flags, name): // --start, which begins as --startas does
		return catalogue.Flag
	case takes && s.words == 2:
		return catalogue.Pair
	case takes && s.glued && len(name) == 2:
		return catalogue.Optional
	case takes:
		return catalogue.Plain
	case p.flagged(name):
		return catalogue.Flag
	}
	return catalogue.Unknown
}

// items are what was read in a word of options: each option that takes words behind it, and the last.
func (p *program) items(read catalogue.Token, w Word) []item {
	var items []item
	for i := range len(read.Options) - 1 {
		if o := read.Options[i]; len(o.Values) > 0 { // only of tar, whose letters all have their values behind
			items = append(items, p.item(o, item{at: read.At, known: true}))
		}
	}
	it := item{at: read.At, option: w.Text, known: true, read: read.Options}
	var last catalogue.Option
	for _, last = range read.Options {
		it.known = it.known && last.Kind != catalogue.Unknown
	}
	it = p.item(last, it)
	it.picks = !w.Fixed && !it.glued
	it.known = it.known || !it.takes && p.flagged(w.Text)
	return append(items, it)
}

// item adds to an item what an option takes.
func (p *program) item(o catalogue.Option, it item) item {
	for _, value := range o.Values {
		if it.glued = !value.Own; it.glued {
			it.text = value.Text
		} else {
			it.args = append(it.args, value.At)
		}
	}
	if it.takes = it.glued || o.Kind == catalogue.Plain || o.Kind == catalogue.Pair; !it.takes {
		return it
	}
	it.option = o.Name
	_, s, known := p.options.find(o.Name)
	if it.slot = s; !known {
		it.slot = plain
	}
	return it
}

// startsProgram reports whether the words behind an option are a command of their own: fd -x.
func (it item) startsProgram() bool {
	return it.takes && len(it.args) > 0 && it.slot.ends && it.slot.kind == Program
}

// slotFor returns the role of operand n.
func (p *program) slotFor(n int) slot { return slotAt(p.operands, n) }

func slotAt(slots []slot, n int) slot {
	switch {
	case len(slots) == 0:
		return operand
	case n < len(slots):
		return slots[n]
	}
	return slots[len(slots)-1]
}

// flagged reports whether an option is known to take no argument. A row without flags takes it of every
// other option.
func (p *program) flagged(name string) bool {
	if p.flags == "" {
		return true
	}
	for flag := range strings.FieldsSeq(p.flags) {
		if flag == name || begins(flag, name) {
			return true
		}
	}
	return false
}

// isAssignment reports whether a word sets a variable for a program: NAME=value.
func isAssignment(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && validName(name)
}

func validName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
