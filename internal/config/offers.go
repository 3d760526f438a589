package config

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Resource is something that MCP clients may read: a text, bytes, or what a tool prints.
type Resource struct {
	Name, Title, Description, Type string
	// URI may have variables, as in `logs://{build}`: then it is a template of URIs, and their values are the
	// values of Text or the parameters of the tool.
	URI  string
	Text *render.Text // nil for none
	Blob []byte
	// Tool is the id of the tool that prints it, "" for none. Arguments are what it is called with, beside the
	// variables.
	Tool      string
	Arguments map[string]any
	Source    tool.Source
}

// Variables are the names of the variables of the URI.
func (r *Resource) Variables() []string {
	var names []string
	for _, found := range uriVariable.FindAllStringSubmatch(r.URI, -1) {
		names = append(names, found[1])
	}
	return names
}

// uriVariable is a variable of an URI template (RFC 6570, level 1).
var uriVariable = lazyregexp.New(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Match reports whether an URI is of the resource, and returns the values of its variables. A value has no
// slash: it is one part of a path.
func (r *Resource) Match(uri string) (map[string]string, bool) {
	values, pattern := map[string]string{}, r.URI
	for {
		at := uriVariable.Get().FindStringSubmatchIndex(pattern)
		if at == nil {
			return values, uri == pattern
		}
		before, name := pattern[:at[0]], pattern[at[2]:at[3]]
		rest, ok := strings.CutPrefix(uri, before)
		if !ok {
			return nil, false
		}
		pattern = pattern[at[1]:]
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if next := uriVariable.FindStringIndex(pattern); next != nil && next[0] > 0 || next == nil && pattern != "" {
			after := pattern
			if next != nil {
				after = pattern[:next[0]]
			}
			if i := strings.Index(rest, after); i >= 0 && i < end {
				end = i
			}
		}
		value, err := url.PathUnescape(rest[:end])
		if err != nil || value == "" {
			return nil, false
		}
		values[name], uri = value, rest[end:]
	}
}

// Prompt is a text that a person picks by its name in an MCP client.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	Messages                 []PromptMessage
	Source                   tool.Source
}

// PromptArgument is an argument of a Prompt.
type PromptArgument struct {
	Name, Description string
	Required          bool
}

// PromptMessage is one message of a Prompt. It is a text, a picture, or a text that is told as a resource.
type PromptMessage struct {
	Assistant bool // it is the model's, and not the person's
	Text      *render.Text
	Image     []byte
	Type      string       // of the picture or the resource
	URI       *render.Text // of the resource; nil for none
}

// offerName is what resources and prompts are called.
var offerName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

// offered reads what clients are offered beside tools, by its names. What a repository brings is left alone: a
// person would take a prompt of it for his own.
func (f *toolsFile) offered(v yamldoc.Value, what string, read func(name string, source tool.Source, v yamldoc.Value)) {
	if f.file.Layer == tool.LayerProject {
		v.Warn(ruleIgnored, "take it over into a file of your own", "%s of a workspace are not offered", what)
		return
	}
	entries, _ := v.Entries()
	for _, e := range entries {
		if !offerName.MatchString(e.Name) {
			e.Key.Fail(yamldoc.RuleValue, "", "a name has 1 to 128 letters, digits, _, - and ., and begins with no - or .")
			continue
		}
		read(e.Name, f.file.source(e.Key), e.Value)
	}
}

// resource is one that is being read.
type resource struct {
	*Resource
	values int // of text, blob and tool, how many are given
}

func (f *toolsFile) readResources(v yamldoc.Value) {
	f.offered(v, "resources", func(name string, source tool.Source, v yamldoc.Value) {
		r := resource{Resource: &Resource{Name: name, URI: "a2a-acp://resources/" + name, Source: source}}
		if !yamldoc.ReadKeys(v, resourceMapping(), &r) {
			return
		}
		if r.values != 1 {
			v.Fail(yamldoc.RuleMissing, "text: …, blob: … or tool: …", "one of text, blob and tool says what it holds")
		}
		if r.Type == "" && r.Text != nil {
			r.Type = "text/plain"
		}
		if r.Text != nil {
			checkOfferNames(v, r.Text, r.Variables(), "variable of the uri")
		}
		f.resources = append(f.resources, *r.Resource)
	})
}

func resourceMapping() yamldoc.Mapping[*resource] {
	return yamldoc.Mapping[*resource]{
		Name: "a resource",
		Keys: []yamldoc.Key[*resource]{
			yamldoc.NewKey("uri", "an URI, which may have {variables}", func(r *resource, v yamldoc.Value) {
				text, ok := v.Text()
				bare := uriVariable.ReplaceAllString(text, "x")
				if u, err := url.Parse(bare); ok && (err != nil || u.Scheme == "" || strings.ContainsAny(bare, "{} ")) {
					v.Fail(yamldoc.RuleValue, "for example docs://guide, or logs://{build}", "it is no URI: %s", yamldoc.Quote(text))
				}
				if strings.HasPrefix(text, "a2a-acp://outputs") {
					v.Fail(yamldoc.RuleValue, "", "a2a-acp://outputs is where outputs of calls are")
				}
				r.URI = text
			}),
			yamldoc.NewKey("title", "a text", func(r *resource, v yamldoc.Value) { v.SetText(&r.Title) }),
			yamldoc.NewKey("description", "a text", func(r *resource, v yamldoc.Value) { v.SetText(&r.Description) }),
			yamldoc.NewKey("mime_type", "a media type", func(r *resource, v yamldoc.Value) { v.SetText(&r.Type) }),
			yamldoc.NewKey("text", "a text", func(r *resource, v yamldoc.Value) {
				r.values++
				r.Text = readOfferText(v)
			}),
			yamldoc.NewKey("blob", "bytes, as base64", func(r *resource, v yamldoc.Value) {
				r.values++
				r.Blob = readBase64(v)
			}),
			yamldoc.NewKey("tool", "the id of a tool", func(r *resource, v yamldoc.Value) {
				r.values++
				v.SetText(&r.Tool)
			}),
			yamldoc.NewKey("params", "a mapping", func(r *resource, v yamldoc.Value) {
				if !v.IsMapping() {
					v.Mismatch("a mapping", "")
				} else if value, ok := v.JSON(); ok {
					r.Arguments, _ = value.(map[string]any)
				}
			}),
		},
		Synonyms: map[string]string{"mimetype": "mime_type", "type": "mime_type", "content": "text", "url": "uri",
			"arguments": "params", "uritemplate": "uri", "template": "uri"},
	}
}

// readOfferText reads a text, which may be a template of plain text.
func readOfferText(v yamldoc.Value) *render.Text {
	source, ok := v.Text()
	if !ok {
		return nil
	}
	return textAt(v, source)
}

func readBase64(v yamldoc.Value) []byte {
	text, ok := v.Text()
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if ok && err != nil {
		v.Fail(yamldoc.RuleValue, "", "it is no base64: %v", err)
	}
	return data
}

func checkOfferNames(v yamldoc.Value, text *render.Text, declared []string, what string) {
	for _, name := range text.Names() {
		if !slices.Contains(declared, name) {
			v.Fail(ruleTemplate, "", "there is no %s %s, which the text names", what, yamldoc.Quote(name))
		}
	}
}

func (f *toolsFile) readPrompts(v yamldoc.Value) {
	f.offered(v, "prompts", func(name string, source tool.Source, v yamldoc.Value) {
		p := &Prompt{Name: name, Source: source}
		if !yamldoc.ReadKeys(v, promptMapping(), p) {
			return
		}
		switch {
		case len(p.Messages) == 0:
			v.Fail(yamldoc.RuleMissing, "text: …, or messages: […]", "it has no text")
		case v.Has("text") && v.Has("messages"):
			v.Fail(yamldoc.RuleValue, "write the text as the first of the messages", "it has a text and messages")
		}
		var declared []string
		for _, a := range p.Arguments {
			if slices.Contains(declared, a.Name) {
				v.Fail(yamldoc.RuleDuplicate, "take one of them out", "the argument %s is declared twice", yamldoc.Quote(a.Name))
			}
			declared = append(declared, a.Name)
		}
		for _, m := range p.Messages {
			for _, text := range []*render.Text{m.Text, m.URI} {
				if text != nil {
					checkOfferNames(v, text, declared, "argument")
				}
			}
		}
		f.prompts = append(f.prompts, *p)
	})
}

func promptMapping() yamldoc.Mapping[*Prompt] {
	return yamldoc.Mapping[*Prompt]{
		Name: "a prompt",
		Keys: []yamldoc.Key[*Prompt]{
			yamldoc.NewKey("title", "a text", func(p *Prompt, v yamldoc.Value) { v.SetText(&p.Title) }),
			yamldoc.NewKey("description", "a text", func(p *Prompt, v yamldoc.Value) { v.SetText(&p.Description) }),
			yamldoc.NewKey("arguments", "a list: {name, description, required}", func(p *Prompt, v yamldoc.Value) {
				list, _ := v.List("{name, description, required}")
				for _, at := range list {
					a := PromptArgument{}
					if yamldoc.ReadKeys(at, promptArgumentMapping(), &a) && at.Require("name", "name: topic") {
						p.Arguments = append(p.Arguments, a)
					}
				}
			}),
			yamldoc.NewKey("text", "a text", func(p *Prompt, v yamldoc.Value) {
				p.Messages = append(p.Messages, PromptMessage{Text: readOfferText(v)})
			}),
			yamldoc.NewKey("messages", "a list: {role, text}", func(p *Prompt, v yamldoc.Value) {
				list, _ := v.List("{role, text}")
				for _, at := range list {
					m := PromptMessage{}
					if yamldoc.ReadKeys(at, promptMessageMapping(), &m) && m.Text == nil && m.Image == nil {
						at.Fail(yamldoc.RuleMissing, "text: …", "it has no text")
					}
					p.Messages = append(p.Messages, m)
				}
			}),
		},
		Synonyms: map[string]string{"parameters": "arguments", "params": "arguments", "args": "arguments",
			"template": "text", "content": "text"},
	}
}

func promptArgumentMapping() yamldoc.Mapping[*PromptArgument] {
	return yamldoc.Mapping[*PromptArgument]{
		Name: "an argument",
		Keys: []yamldoc.Key[*PromptArgument]{
			yamldoc.NewKey("name", "a text", func(a *PromptArgument, v yamldoc.Value) {
				if text, ok := v.Text(); ok && !parameterName.MatchString(text) {
					v.Fail(yamldoc.RuleValue, "", "a name has 1 to 64 letters, digits, _ or -, and begins with a letter or _")
				} else {
					a.Name = text
				}
			}),
			yamldoc.NewKey("description", "a text", func(a *PromptArgument, v yamldoc.Value) { v.SetText(&a.Description) }),
			yamldoc.NewKey("required", "true or false", func(a *PromptArgument, v yamldoc.Value) { v.SetBool(&a.Required) }),
		},
	}
}

func promptMessageMapping() yamldoc.Mapping[*PromptMessage] {
	return yamldoc.Mapping[*PromptMessage]{
		Name: "a message",
		Keys: []yamldoc.Key[*PromptMessage]{
			yamldoc.NewKey("role", "user or assistant", func(m *PromptMessage, v yamldoc.Value) {
				v.OneOf([]string{"user", "assistant"}, func(text string) { m.Assistant = text == "assistant" })
			}),
			yamldoc.NewKey("text", "a text", func(m *PromptMessage, v yamldoc.Value) { m.Text = readOfferText(v) }),
			yamldoc.NewKey("image", "bytes, as base64", func(m *PromptMessage, v yamldoc.Value) { m.Image = readBase64(v) }),
			yamldoc.NewKey("mime_type", "a media type", func(m *PromptMessage, v yamldoc.Value) { v.SetText(&m.Type) }),
			yamldoc.NewKey("uri", "an URI: the text is told as that resource", func(m *PromptMessage, v yamldoc.Value) {
				m.URI = readOfferText(v)
			}),
		},
	}
}

// addOffers adds resources and prompts of a file: one of a later layer takes the place of one of an earlier.
func (l *loading) addOffers(read toolsRead) {
	for _, r := range read.resources {
		i := slices.IndexFunc(l.set.Resources, func(other Resource) bool { return other.Name == r.Name })
		switch {
		case i < 0:
			l.set.Resources = append(l.set.Resources, r)
		case l.set.Resources[i].Source.Layer == r.Source.Layer:
			l.reportDuplicate(fmt.Sprintf("resource %q", r.Name), r.Source, l.set.Resources[i].Source)
		default:
			l.set.Resources[i] = r
		}
	}
	for _, p := range read.prompts {
		i := slices.IndexFunc(l.set.Prompts, func(other Prompt) bool { return other.Name == p.Name })
		switch {
		case i < 0:
			l.set.Prompts = append(l.set.Prompts, p)
		case l.set.Prompts[i].Source.Layer == p.Source.Layer:
			l.reportDuplicate(fmt.Sprintf("prompt %q", p.Name), p.Source, l.set.Prompts[i].Source)
		default:
			l.set.Prompts[i] = p
		}
	}
}

// sortOffers puts them in the order in which clients see them, and says what of them cannot work.
func (l *loading) sortOffers() {
	slices.SortFunc(l.set.Resources, func(a, b Resource) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(l.set.Prompts, func(a, b Prompt) int { return strings.Compare(a.Name, b.Name) })
	named := map[string]string{}
	for _, r := range l.set.Resources {
		if first, twice := named[r.URI]; twice {
			l.warnOf(r, "change one of the two", "has the uri of the resource %q, which is read in its place", first)
		} else {
			named[r.URI] = r.Name
		}
		i, known := l.tools[r.Tool]
		switch {
		case r.Tool == "":
		case !known:
			l.warnOf(r, "", "there is no tool %q", r.Tool)
		default:
			l.checkVariables(r, l.set.Tools[i].Tool)
		}
	}
}

// checkVariables warns of variables of a resource that its tool has no parameters for: no call of it could be made.
func (l *loading) checkVariables(r Resource, t tool.Tool) {
	var names []string
	for _, p := range t.Parameters {
		names = append(names, p.Name)
	}
	for _, name := range r.Variables() {
		if !slices.Contains(names, name) {
			l.warnOf(r, "", "the tool %q has no parameter %q, which the uri names", t.ID, name)
		}
	}
}

// warnOf warns of a resource.
func (l *loading) warnOf(r Resource, hint, format string, args ...any) {
	l.report(yamldoc.Error{File: r.Source.File, Line: r.Source.Line, Column: r.Source.Column,
		Severity: yamldoc.SeverityWarning, Rule: yamldoc.RuleValue,
		Message: fmt.Sprintf("resource %q: ", r.Name) + fmt.Sprintf(format, args...), Hint: hint})
}
