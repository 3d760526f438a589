package ndjson_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// randomJSON writes JSON with all that the grammar has, biased towards what an envelope holds.
func randomJSON(r *rand.Rand, b *bytes.Buffer, depth int) {
	space := func() { b.WriteString([]string{"", "", "", " ", "\t", "\r", " \n "}[r.IntN(7)]) }
	text := func() {
		b.WriteByte('"')
		for range r.IntN(12) {
			b.WriteString([]string{
				"a", "method", "id", "~", "é", "漢", "😀", "ſ", "\u212a", `\n`, `\"`, `\\`, `\/`, `\u0000`, `\u006d`, `\ud83d\ude00`,
				`\ud800`, `\uDFFF`, "\u2028", "\x7f", "0123456789abcdef",
			}[r.IntN(21)])
		}
		b.WriteByte('"')
	}
	kind := r.IntN(8)
	if depth == 0 {
		kind = 6 + r.IntN(2) // an object or array to begin with
	} else if depth > 5 {
		kind = r.IntN(6)
	}
	switch kind {
	case 0, 1:
		text()
	case 2, 3:
		b.WriteString([]string{"0", "-0", "12", "-1.50", "1e9", "1E-2", "0.5e+007", "123456789012345678901234567890"}[r.IntN(8)])
	case 4, 5:
		b.WriteString([]string{"true", "false", "null"}[r.IntN(3)])
	case 6:
		b.WriteByte('{')
		for i := range r.IntN(6) {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			if r.IntN(2) == 0 {
				b.WriteString([]string{`"id"`, `"method"`, `"Method"`, `"params"`, `"result"`, `"error"`, `"meth\u006fd"`}[r.IntN(7)])
			} else {
				text()
			}
			space()
			b.WriteByte(':')
			space()
			randomJSON(r, b, depth+1)
			space()
		}
		b.WriteByte('}')
	case 7:
		b.WriteByte('[')
		for i := range r.IntN(6) {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			randomJSON(r, b, depth+1)
			space()
		}
		b.WriteByte(']')
	}
}

// What Scan takes for an object or array is what encoding/json takes for one: on JSON, and on JSON that has
// been damaged.
func TestScanAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	const alphabet = "{}[],:\"\\ 019-+.eEu/ntrfalsd\t\r\n"
	r := rand.New(rand.NewPCG(1, 2))
	kinds := map[ndjson.Kind]int{}
	for range 30_000 {
		var b bytes.Buffer
		randomJSON(r, &b, 0)
		line := b.Bytes()
		if damage := r.IntN(3); len(line) > 0 {
			for range damage {
				at := r.IntN(len(line))
				switch r.IntN(3) {
				case 0:
					line[at] = alphabet[r.IntN(len(alphabet))]
				case 1:
					line = append(line[:at], line[min(at+1+r.IntN(3), len(line)):]...)
				case 2:
					line = bytes.Join([][]byte{line[:at], {alphabet[r.IntN(len(alphabet))]}, line[at:]}, nil)
				}
				if len(line) == 0 {
					break
				}
			}
		}
		f := ndjson.Scan(line)
		kinds[f.Kind]++
		want := kindByEncodingJSON(line)
		if f.RawControl && want == ndjson.Noise {
			continue // more lenient here, on purpose
		}
		if f.Kind != want {
			t.Fatalf("%q: got %v, encoding/json says %v", line, f.Kind, want)
		}
	}
	for _, kind := range []ndjson.Kind{ndjson.Object, ndjson.Array, ndjson.Noise} {
		if kinds[kind] < 3_000 {
			t.Errorf("only %d lines were %v: this test proves little", kinds[kind], kind)
		}
	}
}

// member is a member of an object as a reader sees it that keeps all of them.
type member struct {
	key   string
	value json.RawMessage
}

// membersByEncodingJSON returns the members of an object in order; nil for what is none.
func membersByEncodingJSON(raw []byte) []member {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var all []member
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil
		}
		all = append(all, member{key.(string), value})
	}
	return all
}

// methodsByReaders returns every method that one of three kinds of readers takes an object to have: one
// that keeps the first of equal keys, one that keeps the last, and encoding/json.
func methodsByReaders(raw []byte) []string {
	var methods []string
	add := func(value json.RawMessage) {
		var method string
		if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &method) == nil {
			methods = append(methods, method)
		}
	}
	var first, last json.RawMessage
	for _, m := range membersByEncodingJSON(raw) {
		if m.key == "method" {
			if first == nil {
				first = m.value
			}
			last = m.value
		}
	}
	add(first)
	add(last)
	var folding struct {
		Method json.RawMessage `json:"method"`
	}
	if json.Unmarshal(raw, &folding) == nil {
		add(folding.Method)
	}
	return methods
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"path":"/a"}}` + "\r\n",
		`{"method":"_x/y","Method":"fs/write_text_file","meth\u006fd":"a"}`,
		`[{"method":"a"},[{"id":1,"method":"b"}]]`,
		"{\"method\":\"a\\ud800\xff\",\"id\":1e400,\"params\":\r[{\"method\":\"b\"}]}",
		`{"id":"\u0000","result":null,"error":{"code":-32600}}`,
		"log text\n", " \t\r\n", `{"a":[{}],"b":[[],[{"c":[]}]]}`, `{"paramſ":1,"params":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		frame := ndjson.Scan(line)
		var asked []string
		anything := frame.CouldBe(func(method string) bool {
			asked = append(asked, method)
			return false
		})
		for name, part := range map[string][]byte{
			"id": frame.ID, "method": frame.Method, "params": frame.Params, "result": frame.Result, "error": frame.Error,
		} {
			if part == nil {
				continue
			}
			if frame.Kind != ndjson.Object || ndjson.Offset(line, part) < 0 {
				t.Fatalf("%s %q is no part of %q, an %v", name, part, line, frame.Kind)
			}
			if !frame.RawControl && !json.Valid(part) {
				t.Errorf("%s %q is not JSON", name, part)
			}
			if got, ok := ndjson.Get(line, name); !ok || !bytes.Equal(got, part) {
				t.Errorf("%s is %q, but Get says %q", name, part, got)
			}
		}
		if frame.RawControl {
			return // encoding/json does not read it
		}
		if want := kindByEncodingJSON(line); frame.Kind != want {
			t.Fatalf("got %v, encoding/json says %v", frame.Kind, want)
		}
		check := func(methods []string) {
			for _, method := range methods {
				if !anything && !slices.Contains(asked, method) {
					t.Errorf("a reader sees the method %q, and CouldBe asks about %q", method, asked)
				}
			}
		}
		switch frame.Kind {
		case ndjson.Array:
			var nested func(raw []byte)
			nested = func(raw []byte) {
				var elements []json.RawMessage
				if json.Unmarshal(raw, &elements) != nil {
					check(methodsByReaders(raw))
				}
				for _, element := range elements {
					nested(element)
				}
			}
			nested(line)
		case ndjson.Object:
			check(methodsByReaders(line))
			var envelope struct {
				ID     json.RawMessage `json:"id"`
				Method json.RawMessage `json:"method"`
				Params json.RawMessage `json:"params"`
				Result json.RawMessage `json:"result"`
				Error  json.RawMessage `json:"error"`
			}
			if frame.Ambiguous {
				return
			}
			if err := json.Unmarshal(line, &envelope); err != nil {
				t.Fatal(err)
			}
			for name, pair := range map[string][2][]byte{
				"id": {frame.ID, envelope.ID}, "method": {frame.Method, envelope.Method}, "params": {frame.Params, envelope.Params},
				"result": {frame.Result, envelope.Result}, "error": {frame.Error, envelope.Error},
			} {
				if !bytes.Equal(pair[0], pair[1]) {
					t.Errorf("unambiguous %s is %q, but encoding/json says %q", name, pair[0], pair[1])
				}
			}
		}
	})
}
