package ndjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// seen is a Frame without the line.
type seen struct {
	Kind                              ndjson.Kind
	ID, Method, Params, Result, Error string // "" is nil
	Ambiguous, Lossy                  bool
	InvalidUTF8, RawControl           bool
}

func see(line string) seen {
	f := ndjson.Scan([]byte(line))
	return seen{
		f.Kind, string(f.ID), string(f.Method), string(f.Params), string(f.Result), string(f.Error),
		f.Ambiguous, f.LossyID, f.InvalidUTF8, f.RawControl,
	}
}

func TestScanKinds(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, line string
		want       ndjson.Kind
	}{
		{"nothing", "", ndjson.Blank},
		{"newline", "\n", ndjson.Blank},
		{"white space", " \t\r\n", ndjson.Blank},
		{"object", "{}\n", ndjson.Object},
		{"object in white space", "\t { } \r\n", ndjson.Object},
		{"array", "[]\n", ndjson.Array},
		{"array of all there is", `[1,-0.5e+3,true,false,null,"",{"a":[{}]},[[]]]`, ndjson.Array},
		{"no terminator", `{"a":1}`, ndjson.Object},

		{"log text", "Loaded 3 tools\n", ndjson.Noise},
		{"log text with an object", "debug: {}\n", ndjson.Noise},
		{"an object with log text", "{} done\n", ndjson.Noise},
		{"JavaScript", "{ foo: 'bar' }\n", ndjson.Noise},
		{"two objects", "{}{}\n", ndjson.Noise},
		{"two objects apart", "{} {}\n", ndjson.Noise},
		{"half an object", `{"a":`, ndjson.Noise},
		{"the other half", `1}`, ndjson.Noise},
		{"number", "1\n", ndjson.Noise},
		{"string", `"{}"`, ndjson.Noise},
		{"literal", "null\n", ndjson.Noise},
		{"byte order mark", "\ufeff{}", ndjson.Noise},
		{"NUL behind", "{}\x00", ndjson.Noise},
		{"no-break space", "{}\u00a0", ndjson.Noise},
		{"trailing comma", `{"a":1,}`, ndjson.Noise},
		{"trailing comma in an array", `[1,]`, ndjson.Noise},
		{"leading comma", `[,1]`, ndjson.Noise},
		{"no comma", `[1 2]`, ndjson.Noise},
		{"no colon", `{"a" 1}`, ndjson.Noise},
		{"no value", `{"a":}`, ndjson.Noise},
		{"two colons", `{"a"::1}`, ndjson.Noise},
		{"no key", `{1:1}`, ndjson.Noise},
		{"wrong bracket", `{"a":[1}]`, ndjson.Noise},
		{"wrong last bracket", `{"a":1]`, ndjson.Noise},
		{"open string", `{"a":"`, ndjson.Noise},
		{"string open at an escape", `{"a":"\`, ndjson.Noise},
		{"string open in an escape", `{"a":"\u00`, ndjson.Noise},
		{"no such escape", `{"a":"\x41"}`, ndjson.Noise},
		{"no such digit", `{"a":"\u00g0"}`, ndjson.Noise},
		{"comment", `{"a":1/**/}`, ndjson.Noise},
		{"NaN", `{"a":NaN}`, ndjson.Noise},
		{"Infinity", `{"a":-Infinity}`, ndjson.Noise},
		{"leading zero", `[01]`, ndjson.Noise},
		{"plus", `[+1]`, ndjson.Noise},
		{"no digits", `[-]`, ndjson.Noise},
		{"no fraction", `[1.]`, ndjson.Noise},
		{"no whole", `[.5]`, ndjson.Noise},
		{"no exponent", `[1e]`, ndjson.Noise},
		{"no exponent after its sign", `[1e+]`, ndjson.Noise},
		{"half a literal", `[tru]`, ndjson.Noise},
		{"more than a literal", `[nullx]`, ndjson.Noise},

		{"as deep as can be", nested(ndjson.MaxDepth), ndjson.Array},
		{"too deep", nested(ndjson.MaxDepth + 1), ndjson.Noise},
		{"as deep as can be in an object", `{"a":` + nested(ndjson.MaxDepth-1) + `}`, ndjson.Object},
		{"too deep in an object", `{"a":` + nested(ndjson.MaxDepth) + `}`, ndjson.Noise},
		{"far too deep", strings.Repeat("[", 1<<20), ndjson.Noise},
		{"back from the deep", `[` + nested(130) + `,` + nested(63) + `,{"a":` + nested(64) + `}]`, ndjson.Array},
		{"back by a wrong bracket", `[` + strings.Repeat(`{"a":[`, 40) + strings.Repeat(`]}`, 39) + `}]]`, ndjson.Noise},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := ndjson.Scan([]byte(row.line))
			if got.Kind != row.want {
				t.Errorf("got %v, want %v", got.Kind, row.want)
			}
			if want := kindByEncodingJSON([]byte(row.line)); row.want != want {
				t.Errorf("encoding/json says %v, the row %v", want, row.want)
			}
			if row.want == ndjson.Noise && !cmp.Equal(got, ndjson.Frame{}, cmpopts.IgnoreUnexported(ndjson.Frame{})) {
				t.Errorf("noise has parts: %+v", got)
			}
		})
	}
}

// kindByEncodingJSON is what a line is by encoding/json.
func kindByEncodingJSON(line []byte) ndjson.Kind {
	line = bytes.Trim(line, " \t\r\n")
	switch {
	case len(line) == 0:
		return ndjson.Blank
	case line[0] == '{' && json.Valid(line):
		return ndjson.Object
	case line[0] == '[' && json.Valid(line):
		return ndjson.Array
	}
	return ndjson.Noise
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestScanEnvelope(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, line string
		want       seen
	}{
		{"request", `{"jsonrpc":"2.0","id":0,"method":"a","params":{"b":[1]}}` + "\r\n", seen{ID: "0", Method: `"a"`, Params: `{"b":[1]}`}},
		{"notification", `{"method":"a","params":[1, 2]}`, seen{Method: `"a"`, Params: `[1, 2]`}},
		{"response", ` { "id" : -7 , "result" : null } `, seen{ID: "-7", Result: "null"}},
		{"error", `{"id":null,"error":{"code":-32700,"message":"\"}"}}`, seen{ID: "null", Error: `{"code":-32700,"message":"\"}"}`}},
		{"fractional id", `{"id":1.5}`, seen{ID: "1.5"}},
		{"string id", `{"id":"a\"b\\"}`, seen{ID: `"a\"b\\"`}},
		{"no id", `{"result":{}}`, seen{Result: "{}"}},
		{"other members, twice", `{"x":1,"x":2,"_meta":{"id":1,"method":"m"},"id":3}`, seen{ID: "3"}},
		{"escaped method", `{"method":"fs\/read"}`, seen{Method: `"fs\/read"`}},
		{"pair of surrogates in the method", `{"method":"\ud83d\ude00"}`, seen{Method: `"\ud83d\ude00"`}},

		{"two ids", `{"id":1,"id":2}`, seen{ID: "1", Ambiguous: true}},
		{"two methods", `{"method":"a","method":"b"}`, seen{Method: `"a"`, Ambiguous: true}},
		{"two params", `{"params":1,"params":2}`, seen{Params: "1", Ambiguous: true}},
		{"two results", `{"result":1,"result":2}`, seen{Result: "1", Ambiguous: true}},
		{"two errors", `{"error":1,"error":2}`, seen{Error: "1", Ambiguous: true}},
		{"two versions", `{"jsonrpc":"2.0","jsonrpc":"1.0"}`, seen{Ambiguous: true}},
		{"another case", `{"Method":"a"}`, seen{Ambiguous: true}},
		{"another case, too", `{"Method":"a","method":"b"}`, seen{Method: `"b"`, Ambiguous: true}},
		{"long s", `{"paramſ":1}`, seen{Ambiguous: true}},
		{"long s, escaped", `{"re\u017fult":1}`, seen{Ambiguous: true}},
		{"escaped key", `{"meth\u006fd":"a"}`, seen{Method: `"a"`, Ambiguous: true}},
		{"escaped key of another case", `{"METH\u004fD":"a"}`, seen{Ambiguous: true}},
		{"lone surrogate in a key", `{"method\ud800":"a"}`, seen{Ambiguous: true}},
		{"not utf-8 in a key", "{\"me\xffthod\":\"a\"}", seen{Ambiguous: true, InvalidUTF8: true}},
		{"control character in a key", "{\"id\x01\":1}", seen{Ambiguous: true, RawControl: true}},
		{"NUL in a key", `{"id\u0000x":1}`, seen{Ambiguous: true}},
		{"doubtful characters in any key", `{"a\ud800":1}`, seen{Ambiguous: true}},
		{"doubtful characters in a key further in", `{"params":{"a\ud800":1}}`, seen{Params: `{"a\ud800":1}`}},
		{"prototype", `{"__proto__":{"method":"a"}}`, seen{Ambiguous: true}},
		{"escaped prototype", `{"\u005f_proto__":{"method":"a"}}`, seen{Ambiguous: true}},
		{"escaped id", `{"\u0069d":1}`, seen{ID: "1", Ambiguous: true}},
		{"escaped id, too", `{"\u0069d":1,"id":2}`, seen{ID: "1", Ambiguous: true}},
		{"another case of the id", `{"ID":1,"id":2}`, seen{ID: "2", Ambiguous: true}},
		{"Kelvin sign in no key of ours", `{"ma` + "\u212a" + `e":1}`, seen{}},
		{"lone surrogate in the method", `{"method":"a\udc00"}`, seen{Method: `"a\udc00"`, Ambiguous: true}},
		{"not utf-8 in the method", "{\"method\":\"a\xff\"}", seen{Method: "\"a\xff\"", Ambiguous: true, InvalidUTF8: true}},
		{"control character in the method", "{\"method\":\"a\tb\"}", seen{Method: "\"a\tb\"", Ambiguous: true, RawControl: true}},
		{"NUL in the method", `{"method":"a\u0000"}`, seen{Method: `"a\u0000"`, Ambiguous: true}},
		{"method that is no string", `{"id":1,"method":null,"result":1}`, seen{ID: "1", Method: "null", Result: "1", Ambiguous: true}},
		{"id that is no id", `{"id":[1]}`, seen{ID: "[1]", Ambiguous: true}},
		{"lone surrogate in the id", `{"id":"\ud800"}`, seen{ID: `"\ud800"`, Ambiguous: true}},
		{"carriage return between tokens", "{\"params\":\r{}\r}\r\n", seen{Params: "{}", Ambiguous: true}},

		{"not utf-8 in a string", "{\"params\":\"\xc3\"}", seen{Params: "\"\xc3\"", InvalidUTF8: true}},
		{"utf-8 in a string", `{"params":"äöü 漢字 😀"}`, seen{Params: `"äöü 漢字 😀"`}},
		{"surrogate in utf-8", "{\"params\":\"\xed\xa0\x80\"}", seen{Params: "\"\xed\xa0\x80\"", InvalidUTF8: true}},
		{"control character in a string", "{\"params\":\"a\tb\"}", seen{Params: "\"a\tb\"", RawControl: true}},
		{"DEL in a string", "{\"params\":\"\x7f\"}", seen{Params: "\"\x7f\""}},

		{"large integer", `{"id":9007199254740992}`, seen{ID: "9007199254740992"}},
		{"integer beyond floats", `{"id":9007199254740993}`, seen{ID: "9007199254740993", Lossy: true}},
		{"fraction beyond floats", `{"id":0.10000000000000001}`, seen{ID: "0.10000000000000001", Lossy: true}},
		{"beyond the range of floats", `{"id":1e400}`, seen{ID: "1e400", Lossy: true}},
		{"negative beyond floats", `{"id":-9223372036854775807}`, seen{ID: "-9223372036854775807", Lossy: true}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.want.Kind = ndjson.Object
			if diff := cmp.Diff(row.want, see(row.line)); diff != "" {
				t.Errorf("frame (-want +got):\n%s", diff)
			}
		})
	}
}

// A line break between two tokens is nothing but white space in a text of which nobody takes lines.
func TestScanText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{\"id\":1,\r\n\t\"method\" :\r\"a\"\n}\n", "{\"params\":{\n\"a\":\n1}}"} {
		if !ndjson.Scan([]byte(text)).Ambiguous || ndjson.ScanText([]byte(text)).Ambiguous {
			t.Errorf("%q: want it to be one thing as a text, and not as a line", text)
		}
	}
	if !ndjson.ScanText([]byte("{\"id\":1,\n\"id\":2}")).Ambiguous {
		t.Error("two ids are two ids")
	}
}

func TestScanNestedFlags(t *testing.T) {
	t.Parallel()
	line := "[{\"a\":[\"\xff\",\"\x01\"]}]"
	if diff := cmp.Diff(seen{Kind: ndjson.Array, InvalidUTF8: true, RawControl: true}, see(line)); diff != "" {
		t.Errorf("frame (-want +got):\n%s", diff)
	}
}

// A string is looked at sixteen bytes at a time: every byte must be seen at every place, whatever the
// string's length.
func TestScanSeesEveryByteAnywhere(t *testing.T) {
	t.Parallel()
	for size := range 36 {
		for at := range size {
			for c := range 256 {
				content := []byte(strings.Repeat("~", size))
				content[at] = byte(c)
				want := "object"
				switch {
				case c == '"', c == '\\':
					want = "noise"
				case c < ' ':
					want = "object, control"
				case c >= 0x80:
					want = "object, not utf-8"
				}
				f := ndjson.Scan([]byte(`{"params":"` + string(content) + `","more":"behind the string"}`))
				got := f.Kind.String()
				if f.RawControl {
					got += ", control"
				}
				if f.InvalidUTF8 {
					got += ", not utf-8"
				}
				if got != want {
					t.Fatalf("byte %#x at %d of %d: got %s, want %s", c, at, size, got, want)
				}
			}
		}
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	line := frameOf(10_000, true)
	if n := testing.AllocsPerRun(100, func() { ndjson.Scan(line) }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func TestCouldBe(t *testing.T) {
	t.Parallel()
	const w = "fs/write_text_file"
	rows := []struct {
		name, line string
		asked      []string // what match is asked about, in order, when it says no
		yes        bool     // what comes of it when match accepts w
	}{
		{"plainly", `{"method":"fs/write_text_file"}`, []string{w}, true},
		{"another method", `{"method":"fs/write_text_files"}`, []string{w + "s"}, false},
		{"no method", `{"id":1,"result":{"method":"fs/write_text_file"}}`, nil, false},
		{"in params only", `{"method":"a","params":{"method":"fs/write_text_file"}}`, []string{"a"}, false},
		{"in params only, method escaped", `{"method":"a\/b","params":{"method":"fs/write_text_file"}}`, []string{"a/b"}, false},
		{"noise", `{"method":"fs/write_text_file"}{}`, nil, false},
		{"blank", "\n", nil, false},
		{"escaped", `{"method":"fs\/write_text\u005ffile"}`, []string{w}, true},
		{"last of two", `{"method":"_x/y","method":"fs/write_text_file"}`, []string{"_x/y", w}, true},
		{"first of two", `{"method":"fs/write_text_file","Method":"_x/y"}`, []string{w, "_x/y"}, true},
		{"another case alone", `{"METHOD":"fs/write_text_file"}`, []string{w}, true},
		{"escaped key", `{"meth\u006fd":"fs/write_text_file"}`, []string{w}, true},
		{"method in a list", `{"method":[ "fs/write_text_file"]}`, []string{w}, true},
		{"method is no string", `{"method":{"a":"b"}}`, nil, false},
		{"in the prototype", `{"id":1,"__proto__":{"method":"fs/write_text_file"}}`, []string{w}, true},
		{"in an array", `[{"method":"a"},1,"method",{"method":"fs/write_text_file"}]`, []string{"a", w}, true},
		{"in nested arrays", `[[[{"id":1,"params":{"method":"b"},"method":"fs/write_text_file"}]]]`, []string{"b", w}, true},
		{"no method in an array", `[1,"method",{"a":["method"]}]`, nil, false},
		{"on a line of its own to some", "{\"method\":\"a\",\"params\":\r{\"method\":\"fs/write_text_file\"}\r}", []string{"a", w}, true},
		{"carriage return at the end", "{\"method\":\"a\",\"params\":{\"method\":\"fs/write_text_file\"}}\r\n", []string{"a"}, false},

		// A key or method with doubtful characters can be any key or method to somebody.
		{"key cut at a NUL", `{"method\u0000":"fs/write_text_file","method":"a"}`, []string{w, "a"}, true},
		{"key with half a pair dropped", `{"meth\ud800od":"fs/write_text_file"}`, []string{w}, true},
		{"key with bytes dropped", "{\"meth\xffod\":\"fs/write_text_file\"}", []string{w}, true},
		{"key with bytes dropped and cut", "{\"meth\xffod\\u0000x\":\"fs/write_text_file\"}", []string{w}, true},
		{"key with a raw control character", "{\"method\r\":\"fs/write_text_file\"}", []string{w}, true},
		{"method cut at a NUL", `{"method":"fs/write_text_file\u0000x"}`, nil, true},
		{"method with bytes dropped", "{\"method\":\"fs/write\xff_text_file\"}", nil, true},
		{"method with half a pair dropped", `[{"method":"fs/write_text\ud800_file"}]`, nil, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := ndjson.Scan([]byte(row.line))
			var asked []string
			f.CouldBe(func(method string) bool {
				asked = append(asked, method)
				return false
			})
			if diff := cmp.Diff(row.asked, asked); diff != "" {
				t.Errorf("asked about (-want +got):\n%s", diff)
			}
			if yes := f.CouldBe(func(method string) bool { return method == w }); yes != row.yes {
				t.Errorf("CouldBe: got %v, want %v", yes, row.yes)
			}
		})
	}
}

func TestMethodName(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, line string
		has        bool
		want       string
	}{
		{"plain", `{"method":"a/b"}`, true, "a/b"},
		{"escaped", `{"method":"a\/b"}`, true, "a/b"},
		{"none", `{"Method":"a"}`, false, ""},
		{"no string", `{"method":1}`, true, ""},
		{"lone surrogate", `{"method":"a\ud800"}`, true, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := ndjson.Scan([]byte(row.line))
			if f.HasMethod() != row.has || f.MethodName() != row.want {
				t.Errorf("got %v, %q; want %v, %q", f.HasMethod(), f.MethodName(), row.has, row.want)
			}
		})
	}
}
