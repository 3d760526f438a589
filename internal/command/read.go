package command

import "strings"

// Reading is a command's words as the parser of its program reads them.
type Reading struct {
	Options  []Option
	Operands []int // where the words stand that belong to no option
}

// Option is one option among the words.
type Option struct {
	Name   string // as the row spells it; the whole word where the row does not know it
	Kind   Kind
	At     int // where the word stands
	Values []Value
}

// Value is what an option was given.
type Value struct {
	Text string
	At   int
	Own  bool // a word of its own
}

// Read reads the words behind the program's name. What stands behind an option that the row does not know
// may be its value, and is read as if it were none.
func (r *Row) Read(words []string) Reading {
	p := &reader{row: r, words: words}
	if r.Parser == Tar && len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		p.next = 1
		p.letters(0, words[0], true)
	}
	for p.next < len(words) {
		at := p.next
		p.next++
		word := words[at]
		switch {
		case r.Parser == None, p.ended, word == "-", !strings.HasPrefix(word, "-"):
			p.Operands = append(p.Operands, at)
			p.ended = p.ended || r.Parser == OptionsFirst || r.Parser == Words
		case r.Parser == Words, r.Parser == Find:
			p.whole(at, word)
		case word == "--":
			p.ended = true
		case strings.HasPrefix(word, "--"):
			p.long(at, word)
		default:
			p.letters(at, word[1:], r.Parser == Letters)
		}
	}
	return p.Reading
}

type reader struct {
	Reading
	row   *Row
	words []string
	next  int  // the first word that is not read yet
	ended bool // no options come any more
}

// add adds an option and the words behind that are its values.
func (p *reader) add(o Option, taken int) {
	for n := o.Kind.values() - taken; n > 0 && p.next < len(p.words); n-- {
		o.Values = append(o.Values, Value{Text: p.words[p.next], At: p.next, Own: true})
		p.next++
	}
	p.Options = append(p.Options, o)
}

func (p *reader) unknown(at int) {
	p.Options = append(p.Options, Option{Name: p.words[at], At: at})
}

// long reads a long name, and the value behind its sign =.
func (p *reader) long(at int, word string) {
	name, value, given := strings.Cut(word, "=")
	kind := p.row.options[name]
	o := Option{Name: name, Kind: kind, At: at}
	switch {
	case kind == Unknown, given && kind.values() != 1 && kind != Optional:
		p.unknown(at)
	case given:
		o.Values = []Value{{Text: value, At: at}}
		p.add(o, 1)
	default:
		p.add(o, 0)
	}
}

// letters reads letters in a row. later tells that the values of all of them stand behind the word.
func (p *reader) letters(at int, letters string, later bool) {
	for i := range len(letters) {
		name, rest := "-"+letters[i:i+1], letters[i+1:]
		kind := p.row.options[name]
		o := Option{Name: name, Kind: kind, At: at}
		switch {
		case kind == Unknown, kind == Count && !digits(letters):
			p.unknown(at)
			return
		case rest == "" || kind.values() == 0 && kind != Optional:
			p.add(o, 0)
		case kind == Number && later && digits(rest), !later:
			o.Values = []Value{{Text: rest, At: at}}
			p.add(o, 1)
			return
		default:
			p.add(o, 0)
		}
	}
}

// whole reads an option that is a word of its own.
func (p *reader) whole(at int, word string) {
	if kind := p.row.options[word]; kind == Command {
		if values, ended := p.command(); ended {
			p.Options = append(p.Options, Option{Name: word, Kind: kind, At: at, Values: values})
		} else {
			p.unknown(at)
		}
		return
	} else if kind != Unknown {
		p.add(Option{Name: word, Kind: kind, At: at}, 0)
		return
	}
	if len(word) > 2 && p.row.options[word[:2]] == Number && digits(word[2:]) {
		p.add(Option{Name: word[:2], Kind: Number, At: at, Values: []Value{{Text: word[2:], At: at}}}, 1)
		return
	}
	p.unknown(at)
}

// command takes the words up to the ; or + that ends the command of find's -exec.
func (p *reader) command() (words []Value, ended bool) {
	for p.next < len(p.words) {
		at := p.next
		p.next++
		text := p.words[at]
		words = append(words, Value{Text: text, At: at, Own: true})
		if text == ";" || text == "+" && p.words[at-1] == "{}" {
			return words, len(words) > 1
		}
	}
	return words, false
}

func digits(text string) bool { return strings.Trim(text, "0123456789") == "" }
