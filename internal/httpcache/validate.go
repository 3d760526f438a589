package httpcache

import (
	"net/http"
	"strings"
)

// Validators are the headers that ask whether a server would still answer the same (RFC 9111, 4.3.1). They are what the
// server itself has said of its answer, in the shape that they have to have.
func (e *Entry) Validators() map[string]string {
	ask := map[string]string{}
	if tag := e.tag(); tag != "" {
		ask["If-None-Match"] = tag
	}
	if modified := e.modified(); modified != "" {
		ask["If-Modified-Since"] = modified
	}
	return ask
}

func (e *Entry) canBeAsked() bool { return e.tag() != "" || e.modified() != "" }

// longestTag is how long an entity tag may be.
const longestTag = 1024

// tag returns the entity tag (RFC 9110, 8.8.3); "" where there is none, or more than one, or it has another shape.
func (e *Entry) tag() string {
	lines := e.header["Etag"]
	if len(lines) != 1 || len(lines[0]) > longestTag {
		return ""
	}
	opaque := strings.TrimPrefix(lines[0], "W/")
	if len(opaque) < 2 || opaque[0] != '"' || opaque[len(opaque)-1] != '"' ||
		strings.ContainsFunc(opaque[1:len(opaque)-1], func(c rune) bool { return c <= ' ' || c > '~' || c == '"' }) {
		return ""
	}
	return lines[0]
}

// modified returns when the answer was last changed (RFC 9110, 8.8.2), as it was said; "" where it is no such date.
func (e *Entry) modified() string {
	lines := e.header["Last-Modified"]
	if len(lines) != 1 {
		return ""
	}
	if at, err := http.ParseTime(lines[0]); err != nil || at.UTC().Format(http.TimeFormat) != lines[0] {
		return ""
	}
	return lines[0]
}

// Revalidated returns the entry that the server has said still holds, with status 304, with what it says by now (RFC 9111,
// 4.3.3 and 4.3.4). ok is false where what it says is about another answer. keep says whether the entry is kept on.
func (e *Entry) Revalidated(by Answer, inKey func(string) bool) (next *Entry, keep, ok bool) {
	said := (&Entry{}).as(by)
	tag := strings.TrimPrefix(said.tag(), "W/") // If-None-Match compares weakly (RFC 9110, 13.1.2)
	if len(said.header["Etag"]) > 0 && tag != strings.TrimPrefix(e.tag(), "W/") {
		return nil, false, false
	}
	header := http.Header{}
	for _, name := range kept() {
		if lines := said.header[name]; len(lines) > 0 {
			header[name] = lines
		} else if name != "Age" && name != "Date" { // which are about this answer
			header[name] = e.header[name]
		}
	}
	cookies := len(by.Header["Set-Cookie"]) > 0
	by.Header = header
	next = e.as(by)
	keep = !cookies && determined(header, inKey) && !next.mayNot() && (next.fresh > next.age || next.canBeAsked())
	return next, keep, true
}
