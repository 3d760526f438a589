package agentclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a ContentBlock of ACP.
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     []byte    `json:"data,omitempty"` // in base64
	MIMEType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

// resource is what a block of the type resource embeds.
type resource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     []byte  `json:"blob,omitempty"`
}

// blocksOf returns what is said as an agent of these abilities takes it.
func blocksOf(content []Content, can abilities) ([]block, error) {
	blocks := make([]block, 0, len(content))
	for _, c := range content {
		b, err := blockOf(c, can)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func blockOf(c Content, can abilities) (block, error) {
	kind, _, _ := strings.Cut(c.MediaType, "/")
	switch {
	case c.Data == nil && c.Text == "" && c.URI != "":
		return block{Type: "resource_link", URI: c.URI, Name: cmp.Or(c.Name, c.URI), MIMEType: c.MediaType}, nil
	case c.Data == nil && c.Name == "" && c.URI == "":
		return block{Type: "text", Text: c.Text}, nil
	case kind == "image" && can.image && c.Data != nil:
		return block{Type: "image", Data: c.Data, MIMEType: c.MediaType, URI: c.URI}, nil
	case kind == "audio" && can.audio && c.Data != nil:
		return block{Type: "audio", Data: c.Data, MIMEType: c.MediaType}, nil
	}
	embedded := &resource{URI: cmp.Or(c.URI, "attachment:///"+url.PathEscape(cmp.Or(c.Name, "file"))), MIMEType: c.MediaType}
	text, isText := c.Text, c.Data == nil
	if !isText && (kind == "text" || c.MediaType == "" || strings.HasSuffix(c.MediaType, "json")) && isPlain(c.Data) {
		text, isText = string(c.Data), true
	}
	if isText {
		embedded.Text = &text
	} else {
		embedded.Blob = c.Data
	}
	switch {
	case can.embedded:
		return block{Type: "resource", Resource: embedded}, nil
	case isText: // every agent takes text
		return block{Type: "text", Text: "The file " + cmp.Or(c.Name, c.URI) + ":\n\n" + text}, nil
	}
	return block{}, &ContentError{MediaType: cmp.Or(c.MediaType, "application/octet-stream")}
}

func isPlain(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

// contentOf reads a block of the agent's; ok is false for one that nobody here knows.
func contentOf(raw json.RawMessage) (c Content, ok bool) {
	var b block
	if json.Unmarshal(raw, &b) != nil {
		return Content{}, false
	}
	switch b.Type {
	case "text":
		return Content{Text: b.Text}, true
	case "image", "audio":
		return Content{Data: b.Data, MediaType: b.MIMEType, URI: b.URI, Name: b.Name}, b.Data != nil
	case "resource_link":
		return Content{URI: b.URI, Name: b.Name, MediaType: b.MIMEType}, b.URI != ""
	case "resource":
		if b.Resource == nil {
			return Content{}, false
		}
		c = Content{URI: b.Resource.URI, Name: nameIn(b.Resource.URI), MediaType: b.Resource.MIMEType, Data: b.Resource.Blob}
		if b.Resource.Text != nil {
			c.Text = *b.Resource.Text
		}
		return c, true
	}
	return Content{}, false
}

// nameIn returns what a file is called by a URI; "" where that does not say.
func nameIn(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	name := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	if name == "." || name == ".." || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return name
}
