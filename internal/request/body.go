package request

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// bodyTemplate is a Body that is ready to be filled in.
type bodyTemplate struct {
	kind     BodyKind
	mimeType string
	tree     shaped
	form     []field
	parts    []partTemplate
	text     []piece
	base64   bool
	xml      *xmlTemplate // of a text that is XML
}

type partTemplate struct {
	at, name, mimeType string
	content, filename  []piece // filename is nil for a field that is no file
	base64             bool
}

// The media types that each kind of body has where its author says nothing.
const (
	typeJSON   = "application/json"
	typeForm   = "application/x-www-form-urlencoded"
	typeText   = "text/plain; charset=utf-8"
	typeBinary = "application/octet-stream"
)

// parseBody takes a body apart.
func (c *compiler) parseBody(b *Body) *bodyTemplate {
	if b == nil {
		return nil
	}
	t := &bodyTemplate{kind: b.Kind, mimeType: c.mediaType(string(b.Kind), b.Type)}
	switch b.Kind {
	case KindJSON:
		t.tree = c.parseShaped("json", b.JSON, b.Conditions, b.Shapes)
		t.mimeType = orElse(t.mimeType, typeJSON)
		if essence := essenceOf(t.mimeType); essence != typeJSON && !strings.HasSuffix(essence, "+json") {
			c.fail("json", "", fmt.Sprintf("the type %s is not JSON", t.mimeType), "")
		}
	case KindForm:
		if essence := essenceOf(t.mimeType); essence != "" && essence != typeForm {
			c.fail("form", "", fmt.Sprintf("the type %s is not that of a form", t.mimeType), "")
		}
		t.mimeType = typeForm
		for _, f := range b.Form {
			t.form = append(t.form, c.parseField("form", f))
		}
	case KindMultipart:
		t.mimeType = "multipart/form-data"
		for _, p := range b.Parts {
			t.parts = append(t.parts, c.parsePart(p))
		}
	case KindText:
		c.parseTextBody(t, b)
	}
	return t
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// essenceOf is a media type without its parameters.
func essenceOf(mimeType string) string {
	essence, _, _ := strings.Cut(mimeType, ";")
	return strings.ToLower(strings.TrimSpace(essence))
}

// mediaType wants a media type, which has no tags.
func (c *compiler) mediaType(at, mimeType string) string {
	if mimeType == "" {
		return ""
	}
	if _, _, err := mime.ParseMediaType(mimeType); err != nil || !isFieldValue(mimeType) || strings.Contains(mimeType, "{{") {
		c.fail(at+".type", "", fmt.Sprintf("%q is no media type", shorten(mimeType)), "such as application/json")
		return ""
	}
	return mimeType
}

// parseTextBody looks at a body that is a text: of XML it is known where a value can stand, of a plain text anywhere,
// and of any other type only as the whole.
func (c *compiler) parseTextBody(t *bodyTemplate, b *Body) {
	t.text, t.base64 = c.parseTags("text", b.Text), b.Base64
	t.mimeType = orElse(t.mimeType, typeText)
	essence := essenceOf(t.mimeType)
	switch {
	case b.Base64:
		c.wantBase64("text", t.text)
		if b.Type == "" {
			t.mimeType = typeBinary
		}
	case isXML(essence):
		t.xml = c.parseXML("text", t.text)
	case essence == "text/plain", onlyTag(t.text) != nil, !hasTags(t.text):
	default:
		c.failPlace("text", t.text, essence, "write json, form or multipart instead of text, or the whole text as one tag")
	}
	if !b.Base64 {
		c.wantTexts("text", t.text)
	}
}

// failPlace tells that a text is of a type in which a value could be more than one.
func (c *compiler) failPlace(at string, text []piece, essence, fix string) {
	c.fail(at, firstTag(text).source, "it is not known where a value can stand in "+essence, fix)
}

// wantBase64 wants one tag whose values are base64.
func (c *compiler) wantBase64(at string, pieces []piece) {
	e := onlyTag(pieces)
	if e == nil {
		c.fail(at, "", "base64 is for a text that is one tag", "")
		return
	}
	if e.param != nil && e.param.Format != tool.FormatBase64 {
		c.fail(at, e.source, "the value must be base64", "say format: base64 for the parameter "+e.name())
	}
}

func (c *compiler) parsePart(p Part) partTemplate {
	at := "multipart." + p.Name
	t := partTemplate{at: at, name: p.Name, base64: p.Base64, mimeType: c.mediaType(at, p.Type)}
	if p.Name == "" || !isPartName(p.Name) {
		c.fail(at, "", fmt.Sprintf("%q cannot be the name of a part", shorten(p.Name)),
			"names are fixed, and have no quotes and no line breaks")
	}
	t.content = c.parseTags(at+".content", p.Content)
	if len(t.content) == 0 {
		t.content = []piece{{}}
	}
	essence := essenceOf(t.mimeType)
	if essence != "" && essence != "text/plain" && hasTags(t.content) && onlyTag(t.content) == nil {
		c.failPlace(at+".content", t.content, essence, "write the whole part as one tag")
	}
	if p.Base64 {
		c.wantBase64(at+".content", t.content)
	} else if !t.repeats() || p.Filename != "" {
		c.wantTexts(at+".content", t.content)
	}
	if p.Filename != "" {
		t.filename = c.parseTags(at+".filename", p.Filename)
		c.wantTexts(at+".filename", t.filename)
		if t.mimeType == "" {
			t.mimeType = typeBinary
		}
	}
	return t
}

// repeats reports whether the content is a list of values, each of which is a part.
func (p *partTemplate) repeats() bool {
	e := onlyTag(p.content)
	if e == nil || e.toJSON || e.param == nil || e.param.Type != tool.TypeArray || e.param.Items == nil {
		return false
	}
	return e.param.Items.Type != tool.TypeArray && e.param.Items.Type != tool.TypeObject
}

// isPartName reports whether a name can stand in a Content-Disposition as it is, for every reader.
func isPartName(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsAny(s, "\"\\\r\n%{}") && !strings.ContainsFunc(s, isControl)
}

// isFilename reports whether a text is the name of a file and nothing more: it would be a path, else, or end its
// quotes, where somebody reads it so. What is not seen is dropped by some.
func isFilename(s string) bool {
	return isPartName(s) && !strings.ContainsFunc(s, display.Hidden) && checkSegment(s, tool.SlashRefused) == ""
}

// filledPart is a part with its values.
type filledPart struct {
	name, filename, mimeType string
	isFile                   bool
	content                  []byte
}

// filledBody is a body with its values: what it must be read back as.
type filledBody struct {
	bytes    []byte
	mimeType string
	tree     any // of JSON
	form     []pair
	parts    []filledPart
	boundary string
	texts    []string // of XML: the values, in their order
}

// fillBody fills a body in.
func (t *Template) fillBody(v *values) (*filledBody, *tool.Failure) {
	b := t.body
	f := &filledBody{mimeType: b.mimeType}
	switch b.kind {
	case KindJSON:
		tree := v.choose(&b.tree)
		if tree == nil {
			return nil, refusal(string(b.kind), "the template has no shape for these values")
		}
		value, given, err := v.fill(tree)
		if err != nil {
			return nil, refusal(string(b.kind), "%v", err)
		}
		if !given {
			return nil, nil // the body is a value that was not given
		}
		f.tree, f.bytes = value, appendTree(make([]byte, 0, 256), value)
	case KindForm:
		form, failure := fillFields(v, b.form)
		if failure != nil {
			return nil, failure
		}
		f.form, f.bytes = form, appendFields([]byte{}, form)
	case KindMultipart:
		return f, t.fillParts(v, f)
	case KindText:
		return f.fillText(v, b)
	}
	return f, nil
}

func (f *filledBody) fillText(v *values, b *bodyTemplate) (*filledBody, *tool.Failure) {
	if b.xml != nil {
		text, texts, given, err := b.xml.fill(v)
		if err != nil {
			return nil, refusal("text", "%v", err)
		}
		if !given {
			return nil, nil
		}
		f.bytes, f.texts = []byte(text), texts
		return f, nil
	}
	text, given, err := v.text(b.text)
	if err != nil {
		return nil, refusal("text", "%v", err)
	}
	if !given {
		return nil, nil
	}
	f.bytes = []byte(text)
	if b.base64 {
		if f.bytes, err = decodeBase64(text); err != nil {
			return nil, refusal("text", "%s: %v", firstTag(b.text).source, err)
		}
	}
	return f, nil
}

func decodeBase64(text string) ([]byte, error) {
	encoding := base64.StdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.URLEncoding
	}
	decoded, err := encoding.WithPadding(base64.NoPadding).Strict().DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil, fmt.Errorf("the value is no base64")
	}
	return decoded, nil
}

// fillParts fills a multipart body in (RFC 7578). The boundary is made of the call, and stands in none of the parts.
func (t *Template) fillParts(v *values, f *filledBody) *tool.Failure {
	for i := range t.body.parts {
		p := &t.body.parts[i]
		part := filledPart{name: p.name, mimeType: p.mimeType, isFile: p.filename != nil}
		if p.repeats() {
			value, _ := v.of(onlyTag(p.content))
			items, _, err := itemsOf(onlyTag(p.content), value)
			if err != nil && value != nil {
				return refusal(p.at, "%v", err)
			}
			for _, each := range items {
				part.content = []byte(each.text)
				f.parts = append(f.parts, part)
			}
			continue
		}
		text, given, err := v.text(p.content)
		if err != nil {
			return refusal(p.at, "%v", err)
		}
		if !given {
			continue
		}
		part.content = []byte(text)
		if p.base64 {
			if part.content, err = decodeBase64(text); err != nil {
				return refusal(p.at, "%s: %v", firstTag(p.content).source, err)
			}
		}
		if part.isFile {
			if part.filename, given, err = v.text(p.filename); err != nil || !given {
				return refusal(p.at, "the filename has no value")
			}
			if !isFilename(part.filename) {
				return refusal(p.at, "%s: the name of a file has no slash, backslash, quote, percent sign, brace or character "+
					"that is not seen, and does not consist of dots",
					firstTag(p.filename).source)
			}
		}
		f.parts = append(f.parts, part)
	}
	f.boundary = f.freeBoundary(v.seed)
	f.mimeType += "; boundary=" + f.boundary
	b := make([]byte, 0, 512)
	for _, part := range f.parts {
		b = append(b, "--"+f.boundary+"\r\nContent-Disposition: form-data; name=\""+part.name+"\""...)
		if part.isFile {
			b = append(b, "; filename=\""+part.filename+"\""...)
		}
		if part.mimeType != "" {
			b = append(b, "\r\nContent-Type: "+part.mimeType...)
		}
		b = append(append(append(b, "\r\n\r\n"...), part.content...), "\r\n"...)
	}
	f.bytes = append(b, "--"+f.boundary+"--\r\n"...)
	return nil
}

func (f *filledBody) freeBoundary(seed string) string {
	for n := 0; ; n++ {
		sum := derive(seed, "boundary", n)
		boundary := "a2a-acp-" + hex.EncodeToString(sum[:16])
		free := true
		for _, part := range f.parts {
			free = free && !strings.Contains(string(part.content), boundary) && !strings.Contains(part.filename, boundary)
		}
		if free {
			return boundary
		}
	}
}
