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
func (r *Row) Read(words []string) (all Reading) {
	p := Reader{Parser: r.Parser, Kind: func(name string) Kind { return r.options[name] }, Words: words}
	for p.More() {
		token := p.Next()
		all.Options = append(all.Options, token.Options...)
		if token.Operand {
			all.Operands = append(all.Operands, token.At)
		}
	}
	return all
}

// Reader reads the words behind a program's name one after the other.
type Reader struct {
	Parser Parser
	// Kind says what an option is, by its name with its dashes; Unknown where that is not known.
	Kind  func(name string) Kind
	Words []string
	// Open reports whether only the beginning of a word is known; nil where all words are whole.
	Open func(at int) bool
	// Loose takes letters that are not known for flags. Otherwise nothing is read in a word behind such a
	// one.
	Loose bool
	NoEnd bool // a word -- does not end the options
	Plus  bool // words that begin with + are options, too

	First int  // the first word
	At    int  // the first word that is not read yet
	ended bool // no options come any more
}

// Token is what stands in one word, with the words behind that are its values.
type Token struct {
	At      int
	Operand bool
	Ended   bool     // no option could stand there
	Options []Option // several where letters stand in a row; none in an operand, and in the -- behind the options
}

// More reports whether there are words that are not read yet.
func (p *Reader) More() bool { return p.At < len(p.Words) }

// End has no more options read.
func (p *Reader) End() { p.ended = true }

// Next reads the next word.
func (p *Reader) Next() Token {
	at := p.At
	p.At++
	word, token := p.Words[at], Token{At: at, Ended: p.ended || p.Parser == None}
	switch dash := strings.HasPrefix(word, "-") && (word != "-" || p.open(at)); {
	case p.Parser == Tar && at == p.First && !strings.HasPrefix(word, "-"):
		token.Options = p.letters(at, word, true)
	case token.Ended:
		token.Operand = true
	case dash && (p.Parser == Words || p.Parser == Find):
		token.Options = []Option{p.whole(at, word)}
	case word == "--" && !p.NoEnd && !p.open(at):
		p.ended = true
	case dash && (strings.HasPrefix(word, "--") || p.Parser == Long):
		token.Options = []Option{p.long(at, word)}
	case dash:
		token.Options = p.letters(at, word[1:], p.Parser == Letters)
	case p.Plus && len(word) > 1 && word[0] == '+' && !p.open(at):
		token.Options = []Option{p.values(Option{Name: word, Kind: p.Kind(word), At: at})}
	default:
		token.Operand = true
		p.ended = p.Parser == OptionsFirst || p.Parser == Words
	}
	return token
}

func (p *Reader) open(at int) bool { return p.Open != nil && p.Open(at) }

// values gives an option the words behind it that are its values. Where its own word is open, it cannot be
// told whether there are any.
func (p *Reader) values(o Option) Option {
	for n := o.Kind.values(); n > 0 && p.More() && !p.open(o.At); n-- {
		o.Values = append(o.Values, Value{Text: p.Words[p.At], At: p.At, Own: true})
		p.At++
	}
	return o
}

func (p *Reader) unknown(at int) Option { return Option{Name: p.Words[at], At: at} }

// long reads a long name, and the value behind its sign =.
func (p *Reader) long(at int, word string) Option {
	name, value, given := strings.Cut(word, "=")
	o := Option{Name: name, Kind: p.Kind(name), At: at}
	switch {
	case !p.Loose && (o.Kind == Unknown || given && o.Kind.values() != 1 && o.Kind != Optional):
		return p.unknown(at)
	case given:
		o.Values = []Value{{Text: value, At: at}}
		return o
	}
	return p.values(o)
}

// letters reads letters in a row. later tells that the values of all of them stand behind the word.
func (p *Reader) letters(at int, letters string, later bool) (all []Option) {
	for i := range len(letters) {
		name, rest := "-"+letters[i:i+1], letters[i+1:]
		o := Option{Name: name, Kind: p.Kind(name), At: at}
		switch {
		case !p.Loose && (o.Kind == Unknown || o.Kind == Count && !digits(letters)):
			return append(all, p.unknown(at))
		case o.Kind.values() == 0 && o.Kind != Optional, rest == "" && !p.open(at),
			later && !(o.Kind == Number && digits(rest)):
			all = append(all, p.values(o))
			if rest == "" && o.Kind.values() > 0 {
				return all
			}
		default:
			o.Values = []Value{{Text: rest, At: at}}
			return append(all, o)
		}
	}
	// Some programs have options of several letters behind one dash among those of one letter.
	if word := p.Words[at]; p.Loose && len(word) > 2 && !p.open(at) && p.Kind(word).values() > 0 {
		return []Option{p.values(Option{Name: word, Kind: p.Kind(word), At: at})}
	}
	return all
}

// whole reads an option that is a word of its own.
func (p *Reader) whole(at int, word string) Option {
	o := Option{Name: word, Kind: p.Kind(word), At: at}
	switch {
	case o.Kind == Command:
		values, ended := p.command()
		if !ended {
			return p.unknown(at)
		}
		o.Values = values
		return o
	case o.Kind != Unknown:
		return p.values(o)
	case len(word) > 2 && p.Kind(word[:2]) == Number && digits(word[2:]):
		return Option{Name: word[:2], Kind: Number, At: at, Values: []Value{{Text: word[2:], At: at}}}
	}
	return p.unknown(at)
}

// command takes the words up to the ; or + that ends the command of find's -exec.
func (p *Reader) command() (words []Value, ended bool) {
	for p.More() {
		at := p.At
		p.At++
		text := p.Words[at]
		words = append(words, Value{Text: text, At: at, Own: true})
		if text == ";" || text == "+" && p.Words[at-1] == "{}" {
			return words, len(words) > 1
		}
	}
	return words, false
}

func digits(text string) bool { return strings.Trim(text, "0123456789") == "" }
