package acp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// metaLogin is the member of an authentication method's _meta in which an agent names a whole command for
// its login, as some editors have run it before ACP had terminal logins.
const metaLogin = "terminal-auth"

// withLogins returns the line of an answer to initialize with such logins only as an editor may carry out.
// It runs them in a terminal of the person's, where nobody else decides about them and what they start is
// taken for the person: so a command is started by us, as the agent is, and no variables of the agent's
// choice are set around it, by which it could have the shell there, or us, do something else.
func (b *Bridge) withLogins(answer ndjson.Frame, line []byte) []byte {
	result, err := exactObject(answer.Result)
	if err != nil {
		return line // it is an error: another answer has been found to be exact
	}
	methods := result["authMethods"]
	var list [][]byte
	changed := false
	for method := range ndjson.Elements(methods) {
		held := b.heldLogin(method)
		changed = changed || !bytes.Equal(held, method)
		if held != nil {
			list = append(list, held)
		}
	}
	if !changed {
		return line
	}
	return ndjson.Replace(line, methods, join("[", bytes.Join(list, []byte(",")), "]"))
}

// heldLogin returns one way to log in as the editor may have it; nil for none.
func (b *Bridge) heldLogin(method []byte) []byte {
	o, _ := exactObject(method) // the whole answer was found to be exact
	if args := o.texts("args"); slices.ContainsFunc(args, isShellText) {
		b.o.Say("the agent wants its login called with words that a shell would take for something else; it is left out: " +
			display.Line(strings.Join(args, " ")))
		return nil
	}
	return members(method, func(key string, value []byte) []byte {
		switch {
		case strings.EqualFold(key, "env") && hasMembers(value):
			b.o.Say("the agent wants variables set for its login, which would hold for a2a-acp too; " +
				"they are left out: " + display.Line(string(value)))
			return nil
		case strings.EqualFold(key, "_meta"):
			return members(value, func(key string, value []byte) []byte {
				if strings.EqualFold(key, metaLogin) {
					return b.heldCommand(value)
				}
				return value
			})
		}
		return value
	})
}

// heldCommand returns what stands in the place of a command that the agent names for its login; nil for
// nothing.
func (b *Bridge) heldCommand(login []byte) []byte {
	named, err := exactObject(login)
	if err != nil {
		return nil
	}
	command := append([]string{named.text("command")}, named.texts("args")...)
	var words []string
	if b.o.LoginCommand != nil && command[0] != "" && !slices.ContainsFunc(command, isShellText) {
		words = b.o.LoginCommand(command)
	}
	if len(words) == 0 {
		b.o.Say(fmt.Sprintf("the agent wants the editor to run a command of its own choice for its login, which is left out: %s",
			display.Line(strings.Join(command, " "))))
		return nil
	}
	return encode(struct {
		Label   string   `json:"label"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{named.text("label"), words[0], words[1:]})
}

// isShellText reports whether a word is more than one to a shell: an editor may well put a command together
// for one.
func isShellText(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:=@%+,", r)
	})
}

// members returns an object with what held gives for the value of each of its members, and without those
// for which that is nil. What is no object stays what it is.
func members(raw []byte, held func(key string, value []byte) []byte) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return raw
	}
	var list [][]byte
	changed := false
	for key, value := range ndjson.Members(raw) {
		kept := held(key, value)
		changed = changed || !bytes.Equal(kept, value)
		if kept != nil {
			list = append(list, join(encode(key), ":", kept))
		}
	}
	if !changed {
		return raw
	}
	return join("{", bytes.Join(list, []byte(",")), "}")
}

// hasMembers reports whether something is in an object or a list.
func hasMembers(raw []byte) bool {
	for range ndjson.Members(raw) {
		return true
	}
	for range ndjson.Elements(raw) {
		return true
	}
	return false
}
