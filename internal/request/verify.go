package request

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// verify reads a finished request back with Go's own parsers, and wants it to have the template's shape with the
// very values in their places.
func (t *Template) verify(f *filled) error {
	if f.request.Method != t.spec.Method {
		return errors.New("its method would be another one")
	}
	if err := t.verifyURL(f); err != nil {
		return err
	}
	if err := verifyHead(f.request); err != nil {
		return err
	}
	if err := verifyCookies(f.request, f.cookies); err != nil {
		return err
	}
	return t.verifyBody(f)
}

func (t *Template) verifyURL(f *filled) error {
	u, err := url.Parse(f.request.URL)
	if err != nil {
		return errors.New("its URL cannot be read")
	}
	if u.Scheme+"://"+u.Host != f.request.Origin || u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return errors.New("it would go to another place")
	}
	if t.whole != nil {
		return nil // fillWhole has read it, and it is the value
	}
	if f.request.Origin != t.origin {
		return errors.New("it would go to another place")
	}
	if raw := u.EscapedPath(); strings.Count(raw, "/") != len(f.segments) && !(raw == "/" && len(f.segments) == 0) {
		return errors.New("its path would have other segments")
	}
	if !strings.HasPrefix(f.request.URL[len(t.origin):], u.EscapedPath()) {
		return errors.New("its path would be written in another way")
	}
	raw := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, segment := range f.segments {
		plain, err := url.PathUnescape(raw[i])
		if err != nil || plain != segment {
			return errors.New("a segment of its path would be another one")
		}
	}
	return verifyFields(u.RawQuery, f.query, "query")
}

// verifyFields wants fields to be read back as they were written.
func verifyFields(raw string, want []pair, where string) error {
	if raw == "" {
		if len(want) > 0 {
			return fmt.Errorf("its %s would be empty", where)
		}
		return nil
	}
	pairs := strings.Split(raw, "&")
	if len(pairs) != len(want) {
		return fmt.Errorf("its %s would have other fields", where)
	}
	for i, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		plainName, err := url.QueryUnescape(name)
		plainValue, err2 := url.QueryUnescape(value)
		if !ok || err != nil || err2 != nil || plainName != want[i].Name || plainValue != want[i].Value ||
			strings.ContainsAny(pair, ";+") {
			return fmt.Errorf("a field of its %s would be another one", where)
		}
	}
	return nil
}

// verifyHead reads the line and the headers back as a server does.
func verifyHead(r *Request) error {
	u, err := url.Parse(r.URL)
	if err != nil {
		return errors.New("its URL cannot be read")
	}
	b := make([]byte, 0, 512)
	b = append(append(append(b, r.Method...), ' '), u.RequestURI()...)
	b = append(b, " HTTP/1.1\r\nHost: x\r\n"...)
	for _, h := range r.Header {
		b = append(append(append(append(b, h.Name...), ": "...), h.Value...), "\r\n"...)
	}
	b = append(b, "\r\n"...)
	read, err := http.ReadRequest(bufio.NewReaderSize(bytes.NewReader(b), len(b)+16))
	if err != nil || read.Method != r.Method || read.RequestURI != u.RequestURI() {
		return errors.New("its first line would be another one")
	}
	want := http.Header{}
	for _, h := range r.Header {
		want.Add(h.Name, h.Value)
	}
	if len(want) != len(read.Header) {
		return errors.New("it would have other headers")
	}
	for name, values := range want {
		if !slices.Equal(values, read.Header[name]) {
			return fmt.Errorf("the header %s would be another one", name)
		}
	}
	if read.ContentLength != 0 || len(read.TransferEncoding) > 0 || read.Close || len(read.Trailer) > 0 {
		return errors.New("its headers would say where it ends")
	}
	return nil
}

func (t *Template) verifyBody(f *filled) error {
	if f.body == nil {
		if f.request.Body != nil {
			return errors.New("it would have a body")
		}
		return nil
	}
	switch t.body.kind {
	case KindJSON:
		return verifyJSON(f.body.tree, f.request.Body)
	case KindForm:
		return verifyFields(string(f.request.Body), f.body.form, "form")
	case KindMultipart:
		return f.body.verifyParts(f.request)
	case KindText:
		if t.body.xml != nil {
			return t.body.xml.verify(f.body, f.request.Body)
		}
		if !bytes.Equal(f.request.Body, f.body.bytes) {
			return errors.New("its body would be another one")
		}
	}
	return nil
}

// verifyJSON wants JSON to be read back as it was written, with no member twice.
func verifyJSON(want any, body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var got any
	if err := decoder.Decode(&got); err != nil {
		return errors.New("its body would be no JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something would stand behind its body")
	}
	if !sameJSON(want, got) {
		return errors.New("its body would be another one")
	}
	return nil
}

// verifyParts wants the parts of a multipart body to be read back as they were written.
func (f *filledBody) verifyParts(r *Request) error {
	_, parameters, err := mime.ParseMediaType(r.Get("Content-Type"))
	if err != nil {
		return errors.New("its type would be another one")
	}
	reader := multipart.NewReader(bytes.NewReader(r.Body), parameters["boundary"])
	for _, want := range f.parts {
		part, err := reader.NextRawPart()
		if err != nil {
			return errors.New("its body would have fewer parts")
		}
		content, err := io.ReadAll(part)
		if err != nil || part.FormName() != want.name || !bytes.Equal(content, want.content) ||
			part.Header.Get("Content-Type") != want.mimeType {
			return errors.New("a part of its body would be another one")
		}
		_, disposition, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		if name, ok := disposition["filename"]; err != nil || ok != want.isFile || name != want.filename {
			return errors.New("the name of a file would be another one")
		}
	}
	if _, err := reader.NextRawPart(); !errors.Is(err, io.EOF) {
		return errors.New("its body would have more parts")
	}
	return nil
}

// verify wants an XML text to have the shape of its template, with the values in their places.
func (t *xmlTemplate) verify(f *filledBody, body []byte) error {
	var marked strings.Builder
	for _, p := range t.pieces {
		if p.tag == nil {
			marked.WriteString(p.literal)
		} else {
			marked.WriteString(xmlMark)
		}
	}
	want, _, err := xmlShape(marked.String(), f.texts)
	if err != nil {
		return errors.New("its body would be no XML")
	}
	got, marks, err := xmlShape(string(body), nil)
	if err != nil || marks != 0 || got != want {
		return errors.New("its body would have another shape")
	}
	return nil
}
