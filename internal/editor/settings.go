package editor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// servers is the member that editors list ACP agents in.
const servers = "agent_servers"

// settings are an editor's: JSON, with the comments and trailing commas that editors take. What is not
// changed stays as it is, byte for byte.
type settings struct {
	root    hujson.Value
	mark    []byte // a byte order mark
	newline string
	indent  string // of one level
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// parse reads settings; nothing but white space are those of a new file. The error says line and column.
func parse(data []byte) (*settings, error) {
	s := &settings{newline: "\n", indent: "  "}
	if bytes.HasPrefix(data, byteOrderMark) {
		s.mark, data = byteOrderMark, data[len(byteOrderMark):]
	}
	if bytes.Contains(data, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}" + s.newline)
	}
	root, err := hujson.Parse(bytes.Clone(data))
	if err != nil {
		return nil, err
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("they are no JSON object")
	}
	if len(object.Members) > 0 {
		before := string(object.Members[0].Name.BeforeExtra)
		if at := strings.LastIndexByte(before, '\n'); at >= 0 && strings.TrimLeft(before[at+1:], " \t") == "" &&
			before[at+1:] != "" {
			s.indent = before[at+1:]
		}
	}
	s.root = root
	return s, nil
}

func (s *settings) bytes() []byte { return append(bytes.Clone(s.mark), s.root.Pack()...) }

// servers returns the object that lists the agents, nil where there is none. Two of one name are an error:
// one reader takes the first, another the last.
func (s *settings) servers() (*hujson.Object, error) {
	at, err := member(s.root.Value.(*hujson.Object), servers)
	if at == nil || err != nil {
		return nil, err
	}
	list, ok := at.Value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s is no object", servers)
	}
	return list, nil
}

// entries returns the agents that the settings list, in their order.
func (s *settings) entries() ([]Entry, error) {
	list, err := s.servers()
	if list == nil || err != nil {
		return nil, err
	}
	var found []Entry
	for _, m := range list.Members {
		name := m.Name.Value.(hujson.Literal).String()
		plain := m.Value.Clone()
		plain.Standardize()
		entry := Entry{Name: name}
		var written server
		if json.Unmarshal(plain.Pack(), &written) == nil { // else it is another kind of entry, and none of ours
			entry.Command, entry.Args = written.Command, written.Args
		}
		found = append(found, entry)
	}
	return found, nil
}

// enable enters agents. One of ours that has the name already is replaced; a stranger's is an error.
func (s *settings) enable(e Editor, entries []Entry) error {
	there, err := s.entries()
	if err != nil {
		return err
	}
	list, err := s.servers()
	if err != nil {
		return err
	}
	if list == nil {
		list = &hujson.Object{}
		s.add(s.root.Value.(*hujson.Object), 0, servers, list)
	}
	for _, entry := range entries {
		value, err := e.value(entry, strings.Repeat(s.indent, 2), s.indent)
		if err != nil {
			return err
		}
		value = hujson.Literal(strings.ReplaceAll(string(value), "\n", s.newline))
		old, err := member(list, entry.Name)
		if err != nil {
			return err
		}
		if old == nil {
			s.add(list, 1, entry.Name, value)
			continue
		}
		for _, other := range there {
			if other.Name == entry.Name && !other.Guarded() {
				return fmt.Errorf("%s %q is there, and starts %s: rename one of the two", servers, entry.Name,
					other.Command)
			}
		}
		old.Value.Value = value
	}
	return nil
}

// disable takes all agents of ours out, and returns them.
func (s *settings) disable() ([]Entry, error) {
	there, err := s.entries()
	if err != nil {
		return nil, err
	}
	list, err := s.servers()
	if list == nil || err != nil {
		return nil, err
	}
	var gone []Entry
	for i := len(there) - 1; i >= 0; i-- {
		if there[i].Guarded() {
			gone = append(gone, there[i])
			remove(list, i)
		}
	}
	return gone, nil
}

// add appends a member to an object of the given depth. What stands before the closing brace, such as a
// comment about the last member, stays where it is.
func (s *settings) add(o *hujson.Object, depth int, name string, value hujson.ValueTrimmed) {
	inner, outer := strings.Repeat(s.indent, depth+1), strings.Repeat(s.indent, depth)
	added := hujson.ObjectMember{
		Name: hujson.Value{
			BeforeExtra: append(trimBlanks(o.AfterExtra), s.newline+inner...), Value: hujson.String(name),
		},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	}
	if trailingComma(o) {
		added.Value.AfterExtra = hujson.Extra{}
	}
	o.Members = append(o.Members, added)
	o.AfterExtra = hujson.Extra(s.newline + outer)
}

// remove takes a member out of an object. A comment before it stays: it may be about the member before.
func remove(o *hujson.Object, at int) {
	comma, before := trailingComma(o), trimBlanks(o.Members[at].Name.BeforeExtra)
	o.Members = append(o.Members[:at:at], o.Members[at+1:]...)
	if at < len(o.Members) {
		next := &o.Members[at].Name
		next.BeforeExtra = append(before, next.BeforeExtra...)
		return
	}
	o.AfterExtra = append(before, o.AfterExtra...)
	if at == 0 {
		return
	}
	switch last := &o.Members[at-1].Value; {
	case comma && last.AfterExtra == nil:
		last.AfterExtra = hujson.Extra{}
	case !comma && last.AfterExtra != nil:
		o.AfterExtra = append(last.AfterExtra, o.AfterExtra...)
		last.AfterExtra = nil
	}
}

// trailingComma reports whether a comma stands behind the last member.
func trailingComma(o *hujson.Object) bool {
	return len(o.Members) > 0 && o.Members[len(o.Members)-1].Value.AfterExtra != nil
}

// trimBlanks returns a copy of what stands between two things, without the white space at its end.
func trimBlanks(extra hujson.Extra) hujson.Extra {
	return bytes.Clone(bytes.TrimRight(extra, " \t\r\n"))
}

// member returns the member of a name; nil when there is none.
func member(o *hujson.Object, name string) (*hujson.ObjectMember, error) {
	var found *hujson.ObjectMember
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q is there twice", name)
		}
		found = &o.Members[i]
	}
	return found, nil
}
