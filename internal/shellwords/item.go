package shellwords

import "strings"

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
	args     int    // words after the option that are its argument
	picks    bool   // the word is not fixed and picks an option
	ended    bool   // no option can stand here
	assigned bool   // NAME=value in front of the operands
}

// items splits the words of a program at getopt's rules. It stops at the word that names a further program.
func (r *Reading) items(words []Word, p *program, at, to int) []item {
	var items []item
	ended, operands := p.dash, 0
	for i := at + 1; i < to; i++ {
		w := words[i]
		switch {
		case !ended && !p.noEnd && w.Fixed && w.Text == "--":
			items = append(items, item{at: i, option: "--", known: true})
			ended = true
		case !ended && len(w.Text) > 1 && w.Text[0] == '-' || !ended && !w.Fixed && w.Text == "-":
			it := p.option(i, w)
			it.args = min(it.args, to-i-1)
			items = append(items, it)
			i += it.args
			ended = ended || it.takes && it.slot.ends
		case !ended && p.plus && w.Fixed && len(w.Text) > 1 && w.Text[0] == '+':
			it := item{at: i, option: w.Text, known: true}
			it.slot, it.takes = p.options[w.Text]
			if it.takes {
				it.args = min(1, to-i-1)
			}
			items = append(items, it)
			i += it.args
		case p.environ && operands == 0 && isAssignment(w.Text):
			items = append(items, item{at: i, operand: true, assigned: true, ended: ended})
			ended = ended || p.stops && !p.mixed
		default:
			items = append(items, item{at: i, operand: true, ended: ended})
			if p.slotFor(operands).kind == Program {
				return items
			}
			operands++
			ended = ended || p.stops
		}
	}
	return items
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

// option reads a word that begins with '-'.
func (p *program) option(at int, w Word) item {
	it := item{at: at, option: w.Text}
	if name, value, ok := strings.Cut(w.Text, "="); ok && (strings.HasPrefix(name, "--") || p.long) {
		it.option, it.glued, it.text = name, true, value
		it.slot, it.takes = p.options.find(name)
		it.known = it.takes || p.flagged(name)
		if !it.takes {
			it.slot, it.takes = plain, true
		}
		return it
	}
	if strings.HasPrefix(w.Text, "--") || p.long {
		it.slot, it.takes = p.options.find(w.Text)
		it.known = it.takes || p.flagged(w.Text)
		it.picks = !w.Fixed
		if it.takes && w.Fixed {
			it.args = max(it.slot.words, 1)
		}
		return it
	}
	return p.letters(it, w)
}

// letters reads a row of one-letter options: -xzf is -x -z -f. The first that takes an argument takes the
// rest of the word, or else the next word.
func (p *program) letters(it item, w Word) item {
	it.known = true
	for j := 1; j < len(w.Text); j++ {
		name := "-" + w.Text[j:j+1]
		s, takes := p.options[name]
		last := j == len(w.Text)-1
		if !takes || s.glued && last && w.Fixed {
			it.known = it.known && (takes || p.flagged(name))
			continue
		}
		it.option, it.slot, it.takes = name, s, true
		switch {
		case last && w.Fixed:
			it.args = max(s.words, 1)
		default:
			it.glued, it.text = true, w.Text[j+1:]
		}
		return it
	}
	// Some programs have options of several letters behind one dash; a row names those it matters for.
	if s, ok := p.options[w.Text]; ok && w.Fixed && len(w.Text) > 2 {
		return item{at: it.at, option: w.Text, known: true, slot: s, takes: true, args: max(s.words, 1)}
	}
	it.known = it.known || p.flagged(w.Text)
	it.picks = !w.Fixed
	return it
}

// flagged reports whether an option is known to take no argument. A row without flags takes it of every
// other option.
func (p *program) flagged(name string) bool {
	if p.flags == "" {
		return true
	}
	for _, flag := range strings.Fields(p.flags) {
		if flag == name || len(name) > 3 && strings.HasPrefix(name, "--") && strings.HasPrefix(flag, name) {
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
