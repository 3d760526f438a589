package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of one call's arguments. Each is far beyond what a tool is for, and keeps what a stranger can
// make us hold below a hundred megabytes.
const (
	mostArgumentBytes  = 16 << 20
	mostArgumentValues = 1 << 18
	mostArgumentDepth  = 64
	mostNumberDigits   = 400 // written out, without an exponent
)

// misfit says what is wrong with one value of the arguments.
type misfit struct {
	path    string // as in headers.accept or lines[3]; "" for the arguments as a whole
	message string
}

func (m misfit) String() string {
	if m.path == "" {
		return m.message
	}
	return m.path + ": " + m.message
}

// decodeArguments reads arguments so that no two readers could disagree about them: encoding/json alone
// would keep the last of two equal keys and put U+FFFD in the place of what is no text. Numbers are
// json.Number. Nothing and null are no arguments.
func decodeArguments(raw json.RawMessage) (map[string]any, *misfit) {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) > mostArgumentBytes {
		return nil, &misfit{"", fmt.Sprintf("the arguments are %d bytes long; at most %d are taken", len(raw),
			mostArgumentBytes)}
	}
	if len(raw) == 0 || string(bytes.TrimRight(raw, " \t\r\n")) == "null" {
		return map[string]any{}, nil
	}
	if !json.Valid(raw) {
		return nil, &misfit{"", "the arguments are not JSON"}
	}
	if raw[0] != '{' {
		return nil, &misfit{"", "the arguments are not one JSON object"}
	}
	d := argumentDecoder{raw: raw, tokens: json.NewDecoder(bytes.NewReader(raw))}
	d.tokens.UseNumber()
	value, wrong := d.value("")
	if wrong != nil {
		return nil, wrong
	}
	return value.(map[string]any), nil
}

// argumentDecoder walks over text that is known to be JSON.
type argumentDecoder struct {
	raw    []byte
	tokens *json.Decoder
	values int
	depth  int
}

func (d *argumentDecoder) value(path string) (any, *misfit) {
	if d.values++; d.values > mostArgumentValues {
		return nil, &misfit{path, fmt.Sprintf("the arguments hold more than %d values", mostArgumentValues)}
	}
	token, literal, wrong := d.next(path)
	if wrong != nil {
		return nil, wrong
	}
	switch v := token.(type) {
	case json.Delim:
		if d.depth++; d.depth > mostArgumentDepth {
			return nil, &misfit{path, fmt.Sprintf("nested deeper than %d", mostArgumentDepth)}
		}
		defer func() { d.depth-- }()
		if v == '{' {
			return d.object(path)
		}
		return d.array(path)
	case string:
		return v, checkText(path, v, literal)
	case json.Number:
		return v, checkNumber(path, v)
	}
	return token, nil // true, false or null
}

func (d *argumentDecoder) object(path string) (any, *misfit) {
	object := map[string]any{}
	for d.tokens.More() {
		token, literal, wrong := d.next(path)
		if wrong != nil {
			return nil, wrong
		}
		key, _ := token.(string)
		at := memberPath(path, key)
		if wrong := checkText(at, key, literal); wrong != nil {
			return nil, wrong
		}
		if _, twice := object[key]; twice {
			return nil, &misfit{at, "given twice"}
		}
		if object[key], wrong = d.value(at); wrong != nil {
			return nil, wrong
		}
	}
	_, _, wrong := d.next(path)
	return object, wrong
}

func (d *argumentDecoder) array(path string) (any, *misfit) {
	array := []any{}
	for d.tokens.More() {
		item, wrong := d.value(itemPath(path, len(array)))
		if wrong != nil {
			return nil, wrong
		}
		array = append(array, item)
	}
	_, _, wrong := d.next(path)
	return array, wrong
}

// next returns the next token and the text that it was read from, with the punctuation before it.
func (d *argumentDecoder) next(path string) (json.Token, []byte, *misfit) {
	start := d.tokens.InputOffset()
	token, err := d.tokens.Token()
	if err != nil {
		return nil, nil, &misfit{path, "the arguments are not JSON: " + err.Error()}
	}
	return token, d.raw[start:d.tokens.InputOffset()], nil
}

// checkText refuses what cannot be handed to a program unchanged: bytes that are no UTF-8, halves of a
// surrogate pair, and NUL, which ends a text in C. The decoder puts U+FFFD in the place of the first two.
func checkText(path, text string, literal []byte) *misfit {
	switch {
	case !utf8.Valid(literal), strings.ContainsRune(text, utf8.RuneError) && hasLoneSurrogate(literal):
		return &misfit{path, "the text is not valid Unicode"}
	case strings.ContainsRune(text, 0):
		return &misfit{path, "the text holds a NUL character, which cannot be passed on"}
	}
	return nil
}

// hasLoneSurrogate reports whether a JSON string holds a \u escape that is half of a pair (RFC 8259, 8.2).
func hasLoneSurrogate(literal []byte) bool {
	unit := func(at int) rune { // the UTF-16 unit of an escape; -1 when there is none
		if at+6 > len(literal) || literal[at] != '\\' || literal[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(literal[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		switch u := unit(i); {
		case 0xd800 <= u && u < 0xdc00:
			if low := unit(i + 6); low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 11
		case 0xdc00 <= u && u <= 0xdfff:
			return true
		default:
			i++ // the character behind the backslash begins no escape
		}
	}
	return false
}

// checkNumber refuses numbers that are cheap to write and dear to compute with.
func checkNumber(path string, n json.Number) *misfit {
	if _, ok := rational(n); !ok {
		return &misfit{path, fmt.Sprintf("the number has more than %d digits", mostNumberDigits)}
	}
	return nil
}

// rational returns the exact value of a number. It is false for one beyond the bounds, whose value would
// fill the memory.
func rational(n json.Number) (*big.Rat, bool) {
	text, exponent := n.String(), 0
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[at+1:]); err != nil {
			return nil, false
		}
	}
	if exponent < -mostNumberDigits || exponent > mostNumberDigits ||
		len(text)+max(exponent, -exponent) > mostNumberDigits {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func memberPath(path, key string) string {
	if !plainKey(key) {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func itemPath(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }

// plainKey reports whether a key can stand in a path as it is.
func plainKey(key string) bool {
	return key != "" && len(key) <= 64 &&
		strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
