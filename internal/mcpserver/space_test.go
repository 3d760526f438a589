package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// spaced are the texts that a JSON text becomes with white space at its beginning, its end and between two
// tokens: at each of these places alone, and at all.
func spaced(t *testing.T, text, space string) (texts []string) {
	t.Helper()
	places := []int{0}
	for i, inString := 0, false; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			i++
			continue
		case c == '"':
			if inString = !inString; inString {
				places = append(places, i)
				continue
			}
		case inString || !strings.ContainsRune("{}[]:,", rune(c)):
			continue
		default:
			places = append(places, i)
		}
		places = append(places, i+1)
	}
	all := text
	for i := len(places) - 1; i >= 0; i-- {
		at := places[i]
		texts = append(texts, text[:at]+space+text[at:])
		all = all[:at] + space + all[at:]
	}
	texts = append(texts, all)
	for _, one := range texts {
		var said, meant any
		if json.Unmarshal([]byte(one), &said) != nil || json.Unmarshal([]byte(text), &meant) != nil {
			t.Fatalf("%q is no JSON", one)
		}
	}
	return texts
}

// White space may stand between any two tokens of a message, and changes nothing of its answer. At an URL line
// breaks are white space like any other; in a stream of lines there are none.
func TestWhiteSpace(t *testing.T) {
	t.Parallel()
	s := newServer(t, fakeTools{list: oneTool("a"), call: func(_ context.Context, call Call) (CallResult, error) {
		return CallResult{Content: string(canonical(call.Arguments))}, nil
	}})
	w := newWeb(t, s, HTTPOptions{})
	session := w.begin("alice")
	const call = `"name":"a","arguments":{"text":" \" ","list":[1,-2.5e3,true,null,{},[]],"o":{"a":"b"}}`
	now, headers := stateless("tools/call", call, headerName, "a")
	listen, _ := stateless("tools/list", "")
	for _, m := range []struct {
		name, text string
		headers    []string
	}{
		{"initialize", initialize, nil},
		{"tools/list in a session", `{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{}}`, []string{"X-Who", "alice", headerSession, session}},
		{"tools/call in a session", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + call + `,"_meta":{"progressToken":"p"}}}`,
			[]string{"X-Who", "alice", headerSession, session}},
		{"notification in a session", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{"X-Who", "alice", headerSession, session}},
		{"response in a session", `{"jsonrpc":"2.0","id":"nobody asked","result":{}}`, []string{"X-Who", "alice", headerSession, session}},
		{"tools/call", now, headers},
		{"tools/list", listen, []string{headerRevision, Revision20260728, headerMethod, "tools/list"}},
	} {
		t.Run(m.name, func(t *testing.T) {
			for _, space := range []string{"\n", "\r\n", "\r", "\t", " ", "\n\t  \r\n"} {
				status, want := w.post(m.text, m.headers...)
				if status >= http.StatusBadRequest || strings.Contains(want, `"error"`) {
					t.Fatalf("as it is: %d %s", status, want)
				}
				for _, text := range spaced(t, m.text, space) {
					if got, said := w.post(text, m.headers...); got != status || said != want {
						t.Fatalf("%q: %d %s, want %d %s", text, got, said, status, want)
					}
				}
				if strings.Contains(space, "\n") || len(m.headers) > 0 && m.headers[0] == "X-Who" {
					continue
				}
				wanted := onLines(t, s, m.text)
				for _, text := range spaced(t, m.text, space) {
					if said := onLines(t, s, text); said != wanted || !strings.Contains(said, `"result"`) {
						t.Fatalf("a line %q: %s, want %s", text, said, wanted)
					}
				}
			}
		})
	}
}

// onLines returns what a server says to one line.
func onLines(t *testing.T, s *Server, line string) string {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.ServeStdio(context.Background(), StdioOptions{In: in, Out: out}) }() // ends with in
	if _, err := io.WriteString(write, line+"\n"); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for b := make([]byte, 1); b[0] != '\n'; said.Write(b) {
		if _, err := io.ReadFull(read, b); err != nil {
			t.Fatal(err)
		}
	}
	write.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return said.String()
}
