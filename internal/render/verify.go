package render

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/bashsyntax"
	"github.com/a2a-acp/a2a-acp/internal/taint"
	"mvdan.cc/sh/v3/syntax"
)

// verify proves a rewritten script: read again by the shell's parser, it is the author's script, node for
// node and character for character, with a reference to value i wherever tag i stood, and every reference
// is one that bash neither splits nor evaluates.
func (s *skeleton) verify(script *syntax.File, rewritten string) error {
	file, err := bashsyntax.Parse(rewritten)
	if err != nil {
		return bug("the rewritten script cannot be read: %s", bashsyntax.Message(err))
	}
	want := &treeText{skeleton: s, quoted: quotedHeredocs(s.slots)}
	want.node(reflect.ValueOf(script))
	got := &treeText{}
	got.node(reflect.ValueOf(file))
	switch {
	case got.loose != "":
		return bug("a value would be split or evaluated: %s", got.loose)
	case want.b.String() != got.b.String():
		return bug("the rewritten script is not the author's")
	}
	return nil
}

func quotedHeredocs(slots []*tagSlot) map[*syntax.Redirect]bool {
	quoted := map[*syntax.Redirect]bool{}
	for _, p := range slots {
		if p.Quoting == taint.InQuotedHeredoc {
			quoted[p.Heredoc] = true
		}
	}
	return quoted
}

// treeText writes a syntax tree out so that the skeleton's and the rewritten script's are the same text
// exactly when they mean the same: positions and comments left out, tags and references both as ‹i›, and
// the quotes around them dropped.
type treeText struct {
	b        strings.Builder
	skeleton *skeleton // of the author's script; nil for the rewritten one
	quoted   map[*syntax.Redirect]bool
	loose    string // a reference that bash would split or evaluate
	quotes   int    // how many double quotes or here-documents the walk is in
}

func (o *treeText) printf(format string, args ...any) { fmt.Fprintf(&o.b, format, args...) }

func (o *treeText) node(v reflect.Value) {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		o.printf("-")
		return
	}
	if v.Kind() == reflect.Pointer {
		switch n := v.Interface().(type) {
		case *syntax.Word:
			o.word(n)
			return
		case *syntax.Redirect:
			o.redirect(n)
			return
		case *syntax.Lit:
			o.printf("%q", n.Value)
			return
		case *syntax.CmdSubst, *syntax.ProcSubst:
			defer func(quotes int) { o.quotes = quotes }(o.quotes)
			o.quotes = 0
		case *syntax.ParamExp:
			if i, ok := reference(n); ok {
				if o.quotes == 0 && o.loose == "" {
					o.loose = "value " + i + " stands without quotes"
				}
				o.printf("‹%s›", i)
				return
			}
		case *syntax.ParenArithm:
			if i, ok := soleReference(n); ok {
				o.printf("<‹%s› >", i) // as the skeleton's word is written
				return
			}
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		o.structure(v)
	case reflect.Slice:
		o.printf("[")
		for i := range v.Len() {
			o.node(v.Index(i))
			o.printf(" ")
		}
		o.printf("]")
	default:
		o.printf("%v", v.Interface())
	}
}

// structure writes the fields of a node that say what it means.
func (o *treeText) structure(v reflect.Value) {
	t := v.Type()
	o.printf("(%s", t.Name())
	for i := range t.NumField() {
		field := t.Field(i)
		switch {
		case field.Type == reflect.TypeFor[syntax.Pos](), field.Type == reflect.TypeFor[[]syntax.Comment]():
		default:
			o.printf(" %s=", field.Name)
			o.node(v.Field(i))
		}
	}
	o.printf(")")
}

// redirect leaves the marker of a here-document out: a quoted one is rewritten to another that is not.
func (o *treeText) redirect(n *syntax.Redirect) {
	o.printf("(Redirect %v ", n.Op)
	if n.N != nil {
		o.printf("%q", n.N.Value)
	}
	if n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc {
		o.word(n.Word)
		o.printf(")")
		return
	}
	if n.Hdoc == nil {
		o.printf(")")
		return
	}
	text := &wordText{treeText: o}
	o.quotes++
	for _, part := range n.Hdoc.Parts {
		l, ok := part.(*syntax.Lit)
		switch {
		case !ok:
			text.node(part)
		case o.quoted[n]:
			text.add('h', l.Value)
		case bashsyntax.IsQuotedMarker(n.Word):
			text.add('r', l.Value)
		default:
			text.add('h', bashsyntax.UnescapeHeredoc(l.Value))
		}
	}
	o.quotes--
	text.flush()
	o.printf(")")
}

// word writes what a word is made of: texts with the kind of quotes around them, tags, and further nodes.
func (o *treeText) word(n *syntax.Word) {
	text := &wordText{treeText: o}
	o.printf("<")
	for _, part := range n.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.add('u', part.Value)
		case *syntax.SglQuoted:
			kind := byte('s')
			if part.Dollar {
				kind = 'd'
			}
			text.add(kind, part.Value)
		case *syntax.DblQuoted:
			kind := byte('q')
			if part.Dollar {
				kind = 'l'
			}
			text.add(kind, "")
			o.quotes++
			for _, inner := range part.Parts {
				if l, ok := inner.(*syntax.Lit); ok {
					text.add(kind, l.Value)
				} else {
					text.node(inner)
				}
			}
			o.quotes--
		default:
			text.node(part)
		}
	}
	text.flush()
	o.printf(">")
}

// wordText joins neighbouring texts of one kind.
type wordText struct {
	*treeText
	kind byte
	text string
	tags bool // the word holds a tag, so empty quotes in it mean nothing
	open bool // kind and text are set
	out  []string
}

func (p *wordText) add(kind byte, text string) {
	for {
		before, slot, after, ok := p.cut(text)
		if !p.open || kind != p.kind {
			p.end()
			p.kind, p.open = kind, true
		}
		p.text += before
		if !ok {
			return
		}
		p.end()
		p.tags = true
		p.out = append(p.out, fmt.Sprintf("‹%d›", slot.index))
		text = after
		if text == "" {
			return
		}
	}
}

// cut splits a text at its first placeholder. The rewritten script has none.
func (p *wordText) cut(text string) (before string, slot *tagSlot, after string, ok bool) {
	if p.skeleton == nil {
		return text, nil, "", false
	}
	before, found, after, ok := p.skeleton.Cut(text)
	if !ok {
		return text, nil, "", false
	}
	return before, p.skeleton.slots[found.Number], after, true
}

// end finishes the text that is being joined.
func (p *wordText) end() {
	if p.open {
		p.out = append(p.out, fmt.Sprintf("%c%q", p.kind, p.text))
	}
	p.open, p.text = false, ""
}

// node writes a part that is no text.
func (p *wordText) node(n syntax.Node) {
	p.end()
	if e, ok := n.(*syntax.ParamExp); ok {
		if _, ok := reference(e); ok {
			p.tags = true
		}
	}
	inner := &treeText{skeleton: p.skeleton, quoted: p.quoted, quotes: p.quotes}
	inner.node(reflect.ValueOf(n))
	if p.loose == "" {
		p.loose = inner.loose
	}
	quotes := ""
	if p.quotes > 0 && !strings.HasPrefix(inner.b.String(), "‹") {
		quotes = "\""
	}
	p.out = append(p.out, quotes+inner.b.String())
}

func (p *wordText) flush() {
	p.end()
	for _, piece := range p.out {
		if p.tags && len(piece) == 3 && piece[1:] == `""` {
			continue
		}
		p.printf("%s ", piece)
	}
}

// reference recognises ${__a2a_p[i]} and nothing else.
func reference(p *syntax.ParamExp) (index string, ok bool) {
	if p.Param == nil || p.Param.Value != valuesName {
		return "", false
	}
	w, isWord := p.Index.(*syntax.Word)
	if !isWord {
		return "", false
	}
	if n, err := strconv.Atoi(w.Lit()); err != nil || n < 0 || strconv.Itoa(n) != w.Lit() {
		return "", false
	}
	plain := *p
	plain.Dollar, plain.Rbrace, plain.Param, plain.Index = syntax.Pos{}, syntax.Pos{}, nil, nil
	return w.Lit(), reflect.ValueOf(plain).IsZero()
}

// soleReference recognises (${__a2a_p[i]}) in arithmetic.
func soleReference(n *syntax.ParenArithm) (string, bool) {
	w, ok := n.X.(*syntax.Word)
	if !ok || len(w.Parts) != 1 {
		return "", false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	if !ok {
		return "", false
	}
	return reference(p)
}
