package inbox

import (
	"bytes"
	"unicode/utf8"
)

// Code says what a key is.
type Code int

// The keys. KeyUnknown is one that means nothing here.
const (
	KeyUnknown Code = iota
	KeyRune
	KeyUp
	KeyDown
	KeyPageUp
	KeyPageDown
	KeyHome
	KeyEnd
	KeyEnter
	KeyEscape
	KeyBackspace
	// TerminalAnswers is no key: the terminal has come to where it was asked for an answer (see AskTerminal).
	TerminalAnswers
)

// Key is what was typed.
type Key struct {
	Code Code
	Rune rune // of KeyRune
}

const (
	ctrlC  = 3
	escape = 0x1b
)

// AskTerminal has a terminal answer when it has come to it: "device status report", which each knows (ECMA-48,
// 8.3.35). It answers in line with what is typed, so a key that comes before was typed before.
const AskTerminal = "\x1b[5n"

// Keyboard makes keys of what a terminal sends. What is pasted is no key: nobody has pressed it.
type Keyboard struct {
	rest    []byte // the beginning of a sequence
	pasting bool
}

// Read takes what the terminal has sent. over tells that nothing more comes for now, so that an escape is one.
func (k *Keyboard) Read(sent []byte, over bool) (keys []Key) {
	k.rest = append(k.rest, sent...)
	for len(k.rest) > 0 {
		key, size := next(k.rest)
		if size == 0 {
			if !over {
				return keys
			}
			key, size = Key{Code: KeyUnknown}, len(k.rest)
			if len(k.rest) == 1 && k.rest[0] == escape {
				key.Code = KeyEscape
			}
		}
		sequence := k.rest[:size]
		k.rest = k.rest[size:]
		switch {
		case bytes.Equal(sequence, []byte("\x1b[200~")):
			k.pasting = true
		case bytes.Equal(sequence, []byte("\x1b[201~")):
			k.pasting, key = false, Key{Code: KeyUnknown}
		}
		if !k.pasting || key.Code == TerminalAnswers {
			keys = append(keys, key)
		}
	}
	return keys
}

// sequences are what terminals send for keys that are no letters.
var sequences = map[string]Code{
	"\x1b[A": KeyUp, "\x1bOA": KeyUp, "\x1b[B": KeyDown, "\x1bOB": KeyDown,
	"\x1b[5~": KeyPageUp, "\x1b[6~": KeyPageDown,
	"\x1b[H": KeyHome, "\x1bOH": KeyHome, "\x1b[1~": KeyHome, "\x1b[7~": KeyHome,
	"\x1b[F": KeyEnd, "\x1bOF": KeyEnd, "\x1b[4~": KeyEnd, "\x1b[8~": KeyEnd,
	"\x1b[0n": TerminalAnswers,
}

// next returns the first key of what was sent, and how many bytes it has; 0 where its end has not come.
func next(sent []byte) (Key, int) {
	switch c := sent[0]; {
	case c == '\r' || c == '\n':
		return Key{Code: KeyEnter}, 1
	case c == 0x7f || c == '\b':
		return Key{Code: KeyBackspace}, 1
	case c == escape:
		size := sequenceLength(sent)
		return Key{Code: sequences[string(sent[:size])]}, size
	case !utf8.FullRune(sent):
		return Key{}, 0
	}
	r, size := utf8.DecodeRune(sent)
	return Key{Code: KeyRune, Rune: r}, size
}

// sequenceLength returns how long the sequence is that begins with an escape; 0 where its end has not come.
func sequenceLength(sent []byte) int {
	switch {
	case len(sent) < 2:
		return 0
	case sent[1] == 'O': // SS3 and one character
		if len(sent) < 3 {
			return 0
		}
		return 3
	case sent[1] != '[':
		return 2 // Alt and a key
	}
	for i := 2; i < len(sent); i++ {
		if sent[i] >= 0x40 && sent[i] <= 0x7e { // the final byte of a control sequence (ECMA-48, 5.4)
			return i + 1
		}
	}
	return 0
}
