package request

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// Spec is what an author says of a request. Texts in it are templates.
type Spec struct {
	Method string
	// Base is where requests go: a scheme, a host, and the beginning of every path. It has no tags. It is empty
	// where the whole URL is a value, which Hosts bounds then.
	Base string
	Path string // begins with /, or is the one tag that the whole URL is
	// PathStyles say how lists and objects stand in the path, by the name of the tag.
	PathStyles map[string]Style
	Hosts      []string // names, *.names, or either with a :port
	Query      []Field
	Headers    []Field
	// Cookies are those of the one header Cookie, whose values have no style; one without a value is left out.
	Cookies []Field `json:",omitempty"`
	Body    *Body   // nil for none
	// Absent says that a name which no parameter declares has no value, where its tag says what counts then.
	Absent bool
	// Answered says that {{response.x}} is a part of the answer to an earlier request. Nothing is known of it before
	// there is one, and what wants a part that is not there is not sent.
	Answered bool
	// IdempotencyKey is a header that tells attempts of one call apart from other calls; "" for none.
	IdempotencyKey string
}

// Response is the name of what an earlier request was answered with; see Spec.Answered.
const Response = "response"

// Field is one named value of a query, a form or a header.
type Field struct {
	Name  string
	Value Tree // a text, a number, a truth value, or a list of them
	Style Style
}

// Style says how a list or an object is written, in OpenAPI's words (3.1, Style Values). The zero Style is what
// each place has for a rule.
type Style struct {
	Name    StyleName
	Explode *bool // nil: as OpenAPI has it for the style
}

// StyleName is the name of a style.
type StyleName string

// The styles.
const (
	StyleForm   StyleName = "form"           // of queries and forms: n=a&n=b, or n=a,b
	StyleSpace  StyleName = "spaceDelimited" // n=a%20b
	StylePipe   StyleName = "pipeDelimited"  // n=a%7Cb
	StyleDeep   StyleName = "deepObject"     // n[k]=a
	StyleSimple StyleName = "simple"         // of paths and headers: a,b
	StyleLabel  StyleName = "label"          // of paths: .a.b
	StyleMatrix StyleName = "matrix"         // of paths: ;n=a
)

// Tree is a JSON value whose texts are templates. Exactly one of Object and List is set, or neither.
type Tree struct {
	Object []Member // in the author's order; not nil for an object
	List   []Tree   // not nil for a list
	Scalar any      // a text, which is a template, a json.Number, a bool or nil
	Quoted bool     // the text stays a text where it is one tag, whatever the value's type
	Each   *Each    // as many items of the list that it stands in; nil for a value
}

// Member is a member of an object.
type Member struct {
	Name  string // has no tags
	Value Tree
}

// Text returns a Tree of a text.
func Text(source string) Tree { return Tree{Scalar: source} }

// Body is what a request carries. The field of its Kind is set.
type Body struct {
	Kind BodyKind
	JSON Tree
	// Conditions decide which of the Shapes the JSON has, where there are any.
	Conditions []Condition
	Shapes     []Shape
	Form       []Field
	Parts      []Part
	Text       string
	Type       string // media type; "" for that of the kind
	// Base64 says that the text is base64 of what is sent.
	Base64 bool
}

// BodyKind is a kind of body.
type BodyKind string

// The kinds.
const (
	KindJSON      BodyKind = "json"
	KindForm      BodyKind = "form"
	KindMultipart BodyKind = "multipart"
	KindText      BodyKind = "text"
)

// Part is one part of a multipart body.
type Part struct {
	Name     string
	Content  string // of one tag that is a list, each item is a part of this name
	Filename string // "" for a field that is no file
	Type     string // media type; "" for none, and application/octet-stream for a file
	Base64   bool   // the content is base64 of what is sent
}

// Finding is a mistake of a Spec, or something that its author should know.
type Finding struct {
	At      string // as in query.dry or json.items[0].name
	Tag     string // the tag that it is about; "" for none
	Message string
	Fix     string // "" where none is known
	Warning bool
}

// Request is a call filled in: what is sent, but for the credentials, which are added last.
type Request struct {
	Method string
	URL    string   // absolute
	Header []Header // without Host and Content-Length
	Body   []byte   // nil for none

	Origin string // of the URL: scheme and host, as https://api.example.com
	Path   string // decoded, for rules
	Query  []Header
	// Data is the body as data, for rules: JSON, or what the fields of a form are; nil for a text.
	Data any
	// OfCall says that something in it names the call (an idempotency key, a boundary, uuid()): of another call it would
	// be another request.
	OfCall bool
}

// Header is one header, or one field of a query, as it is sent.
type Header struct{ Name, Value string }

// Get returns the value of the first header of a name, which is not told apart by case; "" for none.
func (r *Request) Get(name string) string {
	for _, h := range r.Header {
		if equalFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// parameters are what declares values, by name.
type parameters map[string]*tool.Parameter

func parametersOf(list []tool.Parameter) parameters {
	byName := make(parameters, len(list))
	for i := range list {
		byName[list[i].Name] = &list[i]
	}
	return byName
}
