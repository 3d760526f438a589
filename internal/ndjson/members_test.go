package ndjson_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, raw string
		want      []string // key=value
	}{
		{"empty", `{}`, nil},
		{"in order, twice, any key", ` {"b": 1 , "a":[1, 2],"b":{"c":null},"":""} `, []string{"b=1", "a=[1, 2]", `b={"c":null}`, `=""`}},
		{"decoded keys", `{"\u0061\n\ud83d\ude00":1}`, []string{"a\n😀=1"}},
		{"doubtful keys", "{\"a\\ud800\":1,\"b\xff\":2}", []string{"a\ufffd=1", "b\ufffd=2"}},
		{"array", `[1]`, nil},
		{"string", `"{}"`, nil},
		{"nothing", ``, nil},
		{"broken after the first", `{"a":1,"b"`, []string{"a=1"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for key, value := range ndjson.Members([]byte(row.raw)) {
				got = append(got, key+"="+string(value))
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
			for range ndjson.Members([]byte(row.raw)) {
				break // must not go on
			}
		})
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, raw string
		want      []string
	}{
		{"empty", `[ ]`, nil},
		{"in order", ` [1 , "a,]",[2],{"a":[3]}, null]`, []string{"1", `"a,]"`, "[2]", `{"a":[3]}`, "null"}},
		{"object", `{"a":1}`, nil},
		{"nothing", ``, nil},
		{"broken after the first", `[1,]`, []string{"1"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for value := range ndjson.Elements([]byte(row.raw)) {
				got = append(got, string(value))
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("elements (-want +got):\n%s", diff)
			}
			for range ndjson.Elements([]byte(row.raw)) {
				break
			}
		})
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	const line = `{"params":{"a":{"b":[1, 2]},"A":1,"\u0063":3,"d":4,"d":5,"e\u0000":6}}` + "\r\n"
	rows := []struct {
		name string
		path []string
		want string // "" is not found
	}{
		{"no path is the whole", nil, line},
		{"deep", []string{"params", "a", "b"}, "[1, 2]"},
		{"exact case", []string{"params", "A"}, "1"},
		{"another case", []string{"PARAMS"}, ""},
		{"escaped", []string{"params", "c"}, "3"},
		{"first of two", []string{"params", "d"}, "4"},
		{"cut at a NUL", []string{"params", "e"}, ""},
		{"not there", []string{"params", "x", "y"}, ""},
		{"through an array", []string{"params", "a", "b", "0"}, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, ok := ndjson.Get([]byte(line), row.path...)
			if string(got) != row.want || ok != (row.want != "") {
				t.Errorf("got %q, %v; want %q", got, ok, row.want)
			}
		})
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789 äöü ", 1000)
	rows := []struct {
		name, raw string
		want      string
		err       string
	}{
		{"empty", `""`, "", ""},
		{"plain", `"abc"`, "abc", ""},
		{"every escape", `"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"`, "\"\\/\b\f\n\r\té😀", ""},
		{"escaped NUL is a character", `"a\u0000b"`, "a\x00b", ""},
		{"long", `"` + long + `\n` + long + `"`, long + "\n" + long, ""},
		{"high half alone", `"\ud83d"`, "", "a string holds half a surrogate pair"},
		{"low half alone", `"x\ude00"`, "", "a string holds half a surrogate pair"},
		{"halves the wrong way round", `"\ude00\ud83d"`, "", "a string holds half a surrogate pair"},
		{"two high halves", `"\ud83d\ud83d\ude00"`, "", "a string holds half a surrogate pair"},
		{"not utf-8", "\"a\xff\"", "", "a string holds a byte that is not UTF-8"},
		{"surrogate in utf-8", "\"\xed\xa0\x80\"", "", "a string holds a byte that is not UTF-8"},
		{"raw newline", "\"a\nb\"", "", "a string holds a control character that is not escaped"},
		{"raw NUL", "\"a\x00b\"", "", "a string holds a control character that is not escaped"},
		{"no such escape", `"\x"`, "", "a string holds an escape that JSON does not have"},
		{"half an escape", `"\u12"`, "", "a string holds an escape that JSON does not have"},
		{"escaped closing quote", `"a\"`, "", "a string holds an escape that JSON does not have"},
		{"two strings", `"a","b"`, "", "not one JSON string"},
		{"number", `1`, "", "not a JSON string"},
		{"null", `null`, "", "not a JSON string"},
		{"nothing", ``, "", "not a JSON string"},
		{"one quote", `"`, "", "not a JSON string"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := ndjson.String([]byte(row.raw))
			if got != row.want || errorText(err) != row.err {
				t.Errorf("got %q, %q; want %q, %q", got, errorText(err), row.want, row.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, text, want string }{
		{"html stays", `<a href="x">&'`, `"<a href=\"x\">&'"`},
		{"controls", "\x00\x1f\x7f\n\r\t\b\\", `"\u0000\u001f\u007f\n\r\t\u0008\\"`},
		{"line ends of other readers", "a\u0085b\u2028c\u2029", `"a\u0085b\u2028c\u2029"`},
		{"beyond ASCII", "é漢😀", `"é漢😀"`},
		{"not utf-8", "a\xffb", "\"a\ufffdb\""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := string(ndjson.AppendString([]byte("x"), row.text)); got != "x"+row.want {
				t.Errorf("got %s, want x%s", got, row.want)
			}
			if back, err := ndjson.String([]byte(row.want)); err != nil || back != strings.ToValidUTF8(row.text, "\ufffd") {
				t.Errorf("reads as %q, %v", back, err)
			}
		})
	}
}
