package ndjson_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

func TestSplice(t *testing.T) {
	t.Parallel()
	const line = ` {"id":1, "params":{ "fs":{"readTextFile":true} ,"list":[ 1 , 2 ],"none":[ ],"empty":{ }},"x" : "\u00e9<"} ` + "\r\n"
	at := func(path ...string) func([]byte) []byte {
		return func(line []byte) []byte {
			part, _ := ndjson.Get(line, path...)
			return part
		}
	}
	rows := []struct {
		name string
		part func(line []byte) []byte
		do   func(line, part []byte) []byte
		old  string // what is replaced by new, the rest being the same; "" means that nil is given
		new  string
	}{
		{"replace", at("params", "fs", "readTextFile"), func(line, part []byte) []byte {
			return ndjson.Replace(line, part, []byte("false"))
		}, "true", "false"},
		{"replace by more lines", at("id"), func(line, part []byte) []byte {
			return ndjson.Replace(line, part, []byte("{\n\t\"a\":\r\n1}"))
		}, `"id":1`, `"id":{ ` + "\t" + `"a":  1}`},
		{"append an element", at("params", "list"), func(line, part []byte) []byte {
			return ndjson.AppendElement(line, part, []byte(`{"a":1}`))
		}, "[ 1 , 2 ]", `[ 1 , 2 ,{"a":1}]`},
		{"append the first element", at("params", "none"), func(line, part []byte) []byte {
			return ndjson.AppendElement(line, part, []byte(`3`))
		}, "[ ]", `[ 3]`},
		{"append a member", at("params", "fs"), func(line, part []byte) []byte {
			return ndjson.AppendMember(line, part, `a"<`, []byte("null"))
		}, "true}", `true,"a\"<":null}`},
		{"append the first member", at("params", "empty"), func(line, part []byte) []byte {
			return ndjson.AppendMember(line, part, "a", []byte("null"))
		}, "{ }", `{ "a":null}`},

		{"a part of another line", at("id"), func(line, part []byte) []byte {
			return ndjson.Replace(line, []byte("1"), []byte("2"))
		}, "", ""},
		{"no part", at("nothing"), func(line, part []byte) []byte {
			return ndjson.Replace(line, part, []byte("2"))
		}, "", ""},
		{"a longer part", at("x"), func(line, part []byte) []byte {
			return ndjson.Replace(line[:len(line)-8], part[:cap(part)], []byte("2"))
		}, "", ""},
		{"an element for an object", at("params", "fs"), func(line, part []byte) []byte {
			return ndjson.AppendElement(line, part, []byte("2"))
		}, "", ""},
		{"a member for an array", at("params", "list"), func(line, part []byte) []byte {
			return ndjson.AppendMember(line, part, "a", []byte("2"))
		}, "", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			before := []byte(line)
			got := row.do(before, row.part(before))
			var want []byte
			if row.old != "" {
				want = bytes.Replace([]byte(line), []byte(row.old), []byte(row.new), 1)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
			if string(before) != line {
				t.Errorf("the old line was changed: %s", before)
			}
		})
	}
}

func TestOffset(t *testing.T) {
	t.Parallel()
	line := []byte(`{"a":[1,2]}`)
	part, _ := ndjson.Get(line, "a")
	if got := ndjson.Offset(line, part); got != 5 {
		t.Errorf("got %d, want 5", got)
	}
	for name, part := range map[string][]byte{"a copy": slices.Clone(part), "nothing": nil, "an empty part": line[3:3]} {
		if got := ndjson.Offset(line, part); got != -1 {
			t.Errorf("%s: got %d, want -1", name, got)
		}
	}
	if got := ndjson.Offset(line[:8], line[5:10]); got != -1 {
		t.Errorf("a part that reaches beyond the line: got %d, want -1", got)
	}
	if got := ndjson.Offset(line[3:], line[:2]); got != -1 {
		t.Errorf("a part before the line: got %d, want -1", got)
	}
}

func FuzzSplice(f *testing.F) {
	f.Add([]byte(`{"id":1,"params":{"a":[1,2],"b":{}}}`+"\r\n"), "a", "text")
	f.Add([]byte(` { "params" : [ ] , "params" : { "a" : null } } `), "\u0061", "<\u2028\xff")
	f.Add([]byte(`{"x":[[],{"y":[{}]}],"":""}`), "", "\n")
	// Whatever a valid line is, a splice leaves it valid, does what it says, and leaves every other member
	// as it was.
	f.Fuzz(func(t *testing.T, line []byte, key, text string) {
		frame := ndjson.Scan(line)
		if frame.Kind != ndjson.Object || !json.Valid(line) {
			return
		}
		value := ndjson.AppendString(nil, text)
		whole := bytes.Trim(line, " \t\r\n")
		before := membersByEncodingJSON(line)

		check := func(did string, got []byte, want []member) {
			t.Helper()
			if !json.Valid(got) || !bytes.Equal(got[len(got)-trailing(line):], line[len(line)-trailing(line):]) {
				t.Fatalf("%s of %q gives %q", did, line, got)
			}
			if diff := cmp.Diff(want, membersByEncodingJSON(got), cmp.AllowUnexported(member{})); diff != "" {
				t.Errorf("%s of %q: members (-want +got):\n%s", did, line, diff)
			}
		}
		with := func(i int, value []byte) []member {
			changed := slices.Clone(before)
			changed[i].value = value
			return changed
		}
		key = strings.ToValidUTF8(key, "\ufffd")
		appended := append(slices.Clone(before), member{key, value})
		check("AppendMember", ndjson.AppendMember(line, whole, key, value), appended)

		i := 0
		for _, old := range ndjson.Members(whole) {
			check("Replace", ndjson.Replace(line, old, value), with(i, value))
			grown := ndjson.AppendElement(line, old, value)
			if old[0] == '[' {
				item := value
				if len(bytes.TrimSpace(old[1:len(old)-1])) > 0 {
					item = append([]byte{','}, value...)
				}
				check("AppendElement", grown, with(i, slices.Concat(old[:len(old)-1], item, []byte("]"))))
			} else if grown != nil {
				t.Errorf("AppendElement to %q gives %q", old, grown)
			}
			i++
		}
	})
}

// trailing counts the white space at the end.
func trailing(line []byte) int { return len(line) - len(bytes.TrimRight(line, " \t\r\n")) }
