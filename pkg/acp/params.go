package acp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// params reads the members of an object, each as the type that the protocol gives it. What is absent or
// null is not given. The first mistake is kept, those of the objects in it counted in: a frame that could
// be read in more than one way is decided in none.
//
// A frame that is decided here is never relayed. What goes on is written anew from what was read, so that
// nobody acts on more than was decided about.
type params struct {
	members object
	read    []string // the members that were asked for
	where   string   // for messages: "options.", "" for the outermost
	mistake *error   // shared with the objects in it
}

// readParams begins to read an object.
func readParams(raw []byte) *params {
	members, err := exactObject(raw)
	return &params{members: members, mistake: &err}
}

// readMembers begins to read members that stand apart.
func readMembers(members object) *params { return &params{members: members, mistake: new(error)} }

func (p *params) fail(format string, args ...any) {
	if *p.mistake == nil {
		*p.mistake = fmt.Errorf(p.where+format, args...)
	}
}

// err returns the first mistake; nil while there is none.
func (p *params) err() error { return *p.mistake }

// inner begins to read an object in this one.
func (p *params) inner(key string, raw []byte) *params {
	members, err := exactObject(raw)
	if err != nil {
		p.fail("%s: %w", key, err)
	}
	return &params{members: members, where: p.where + key + ".", mistake: p.mistake}
}

// not makes it a mistake that members are given which are those of another version of the protocol: an editor
// of that version would show a person something else than what is decided about.
func (p *params) not(keys ...string) {
	for _, key := range keys {
		if p.raw(key) != nil {
			p.fail("%s is no member of it in the version of the protocol that the agent chose", key)
		}
	}
}

// own makes it a mistake that an id is not its own alone: some readers take letters that are composed for
// those that are not, and end a text at a NUL, and an empty id names nothing.
func (p *params) own(key, id string) {
	if id == "" || !norm.NFC.IsNormalString(id) || strings.ContainsFunc(id, display.Hidden) {
		p.fail("%s: %q is no id that everybody takes for the same", key, id)
	}
}

// raw returns a member as it is written; nil when it is not given.
func (p *params) raw(key string) []byte {
	if !slices.Contains(p.read, key) {
		p.read = append(p.read, key)
	}
	value := p.members[key]
	if bytes.Equal(value, []byte("null")) {
		return nil
	}
	return value
}

// text returns a string that must be given.
func (p *params) text(key string) string {
	s, given := p.optional(key)
	if !given {
		p.fail("%s is missing", key)
	}
	return s
}

// optional returns a string.
func (p *params) optional(key string) (s string, given bool) {
	raw := p.raw(key)
	if raw == nil {
		return "", false
	}
	s, err := ndjson.String(raw)
	if err != nil {
		p.fail("%s: %w", key, err)
	}
	return s, true
}

// count returns an integer that is not negative, as it is written; nil when it is not given.
func (p *params) count(key string) []byte {
	raw := p.raw(key)
	if raw != nil && (len(raw) > 19 || strings.Trim(string(raw), "0123456789") != "") {
		p.fail("%s is no count", key)
	}
	return raw
}

// texts returns a list of strings.
func (p *params) texts(key string) (list []string) {
	for value := range p.elements(key) {
		s, err := ndjson.String(value)
		if err != nil {
			p.fail("%s: %w", key, err)
		}
		list = append(list, s)
	}
	return list
}

// objects returns a list of objects.
func (p *params) objects(key string) (list []*params) {
	for value := range p.elements(key) {
		list = append(list, p.inner(key, value))
	}
	return list
}

// object returns an object; nil when it is not given.
func (p *params) object(key string) *params {
	raw := p.raw(key)
	if raw == nil {
		return nil
	}
	return p.inner(key, raw)
}

// shallow begins to read an object in this one, empty where it is not given, that holds more than we read: only its own
// keys have to be the same to everybody.
func (p *params) shallow(key string) *params {
	inner := &params{members: object{}, where: p.where + key + ".", mistake: p.mistake}
	raw := p.raw(key)
	if raw == nil {
		return inner
	}
	if err := ndjson.StrictKeys(raw); err != nil {
		p.fail("%s: %w", key, err)
	}
	for name, value := range ndjson.Members(raw) {
		inner.members[name] = value
	}
	return inner
}

func (p *params) elements(key string) func(func([]byte) bool) {
	raw := p.raw(key)
	if raw != nil && raw[0] != '[' {
		p.fail("%s is no list", key)
	}
	return func(yield func([]byte) bool) {
		n := 0
		for value := range ndjson.Elements(raw) {
			if n++; n > mostListed {
				p.fail("%s: a list of more than %d", key, mostListed)
				return
			}
			if !yield(value) {
				return
			}
		}
	}
}

// mostListed bounds the elements of a list, and the files that a question names: what is compared with all
// others would take minutes where there are a hundred thousand.
const mostListed = 10_000

// member is one member of an object that is written.
type member struct {
	key   string
	value []byte // JSON
}

// meta returns _meta as it came, an object in which nobody has to look.
func (p *params) meta() []member {
	raw := p.raw("_meta")
	if raw == nil {
		return nil
	}
	if raw[0] != '{' {
		p.fail("_meta is no object")
	}
	return []member{{"_meta", bytes.Clone(raw)}}
}

// trace puts a request into the trace that its _meta speaks of, in the place of the turn's.
func (p *params) trace(r *permissions.Request) {
	if t := traceOf(object(p.members).object("_meta")); t != (tool.Trace{}) {
		r.Trace = t.Child()
	}
}

// others returns the members that were not asked for: nobody here knows what they do. One whose name is
// another spelling of one that was asked for is a mistake, since somebody may take it for that.
func (p *params) others() (list []member) {
	for key, value := range p.members {
		if slices.Contains(p.read, key) {
			continue
		}
		for _, known := range p.read {
			if spelling(key) == spelling(known) {
				p.fail("%q is another spelling of %s", key, known)
			}
		}
		list = append(list, member{key, bytes.Clone(value)})
	}
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.key, b.key) })
	return list
}

// noMore makes it a mistake that there is a member which was not asked for and is not _meta.
func (p *params) noMore() {
	p.raw("_meta")
	for _, other := range p.others() {
		p.fail("%s is not known here", other.key)
	}
}

// spelling returns what names that look or read alike have in common: their letters and digits, without
// case, width and form.
func spelling(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, folded(name))
}

// names are some names, by what their spellings have in common.
type names map[string]string

func newNames(list ...string) names {
	n := names{}
	for _, name := range list {
		n[spelling(name)] = name
	}
	return n
}

// misspelled reports whether a name is another spelling of one of them.
func (n names) misspelled(name string) bool {
	right, known := n[spelling(name)]
	return known && right != name
}

// spell reports whether a name is a spelling of one of them.
func (n names) spell(name string) bool {
	_, known := n[spelling(name)]
	return known
}

// folded returns a name without case, width and form (Unicode NFKD). Letters are made capital first, since
// a long s is no small letter and its capital is S.
func folded(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return norm.NFKD.String(strings.ToLower(strings.ToUpper(norm.NFKD.String(name))))
		}
	}
	return strings.ToLower(name)
}

// write returns the object of some members, in their order.
func write(members []member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(ndjson.AppendString(nil, m.key))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// traces are the members of _meta that the protocol reserves for tracing (W3C Trace Context, ACP
// extensibility): they change nothing but what is written down of an act.
var traces = []string{"traceparent", "tracestate", "baggage"}

// nameMore names members beside those that an act is known by; "" for none, and for none but traces.
func nameMore(members []member) string {
	h := sha256.New()
	any := false
	add := func(key string, value []byte) {
		any = true
		fmt.Fprintf(h, "%d %s %d %s\n", len(key), key, len(value), value)
	}
	for _, m := range members {
		if m.key != "_meta" {
			add(m.key, m.value)
			continue
		}
		for key, value := range ndjson.Members(m.value) {
			if !slices.Contains(traces, key) {
				add("_meta."+key, value)
			}
		}
	}
	if !any {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
