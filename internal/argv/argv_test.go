package argv

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// words checks arguments and writes them.
func words(t *tool.Tool, arguments string) ([]string, *tool.Failure) {
	checked, failure := t.CheckArguments(json.RawMessage(arguments))
	if failure != nil {
		return nil, failure
	}
	return Words(t, checked)
}

// TestNoWayRound: a flag that the entry leaves out reaches the program by no spelling of it, whatever the call gives.
func TestNoWayRound(t *testing.T) {
	t.Parallel()
	leaves := []tool.Parameter{
		{Name: "string", Flag: "--string", Type: tool.TypeString}, {Name: "bool", Flag: "--bool", Type: tool.TypeBoolean},
		{Name: "count", Flag: "--count", Type: tool.TypeInteger},
		{Name: "string-slice", Flag: "--string-slice", Type: tool.TypeArray, Form: tool.FormCSV, Items: &tool.Parameter{Type: tool.TypeString}},
		{Name: "string-to-string", Flag: "--string-to-string", Type: tool.TypeObject, Form: tool.FormCSV},
		{Name: "args", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}},
	}
	for _, spelled := range []string{
		"--db-password=x", "--db-password", "--db-pass=x", "-s=x", "-sx", "-vsx", "-vs", "--", "-", "--string=a --db-password=x",
		"--api-token=x", "--config=/evil", "-v", "--as=root", "\n--as=root", "--string-set=x", "--help", "-h", "--version",
	} {
		quoted, _ := json.Marshal(spelled)
		for _, arguments := range []string{
			`{"args":[%]}`, `{"args":["a",%]}`, `{"args":["a","--",%]}`, `{"flags":{"string":%}}`, `{"flags":{"string":%},"args":["a"]}`,
			`{"flags":{"string-slice":[%]}}`, `{"flags":{"string-slice":["a",%,""]}}`, `{"flags":{"string-to-string":{%:"a"}}}`,
			`{"flags":{"string-to-string":{"a":%}}}`, `{"flags":{%:"x"}}`, `{"flags":{"bool":%}}`, `{"flags":{"count":%}}`,
			`{%:"x"}`, `{"flags":%}`, `{"args":%}`, `{"flags":[%]}`, `{"flags":{"string":[%]}}`, `{"args":[[%]]}`, `{"args":[{"a":%}]}`,
			`{"flags":{"db-password":%}}`, `{"db-password":%}`, `{"flags":{"Flags":{}},"Args":[%]}`,
		} {
			arguments = strings.ReplaceAll(arguments, "%", string(quoted))
			made, failure := words(&tool.Tool{Exec: &tool.Exec{Argv: []string{"all"}}, Parameters: leaves}, arguments)
			if failure != nil {
				continue
			}
			heard, err := hear(made)
			if err != nil {
				t.Errorf("%s became %q: %v", arguments, made, err)
			}
			for name := range heard.Flags {
				if !slices.ContainsFunc(leaves, func(p tool.Parameter) bool { return p.Flag == "--"+name }) {
					t.Errorf("%s became %q, and gave --%s", arguments, made, name)
				}
			}
			if heard.Command != "zoo all" {
				t.Errorf("%s became %q, and ran %q", arguments, made, heard.Command)
			}
		}
	}
}

// TestWords: what is written, and what is not.
func TestWords(t *testing.T) {
	t.Parallel()
	list := &tool.Parameter{Type: tool.TypeString}
	program := &tool.Tool{Exec: &tool.Exec{Command: "x", Argv: []string{"get", "pods"}}, Parameters: []tool.Parameter{
		{Name: "wait", Flag: "--wait", Type: tool.TypeBoolean},
		{Name: "limit", Flag: "--limit", Type: tool.TypeInteger, Default: json.Number("500")},
		{Name: "rate", Flag: "--rate", Type: tool.TypeNumber},
		{Name: "name", Flag: "--name", Type: tool.TypeString},
		{Name: "kept", Flag: "--kept", Type: tool.TypeString, PassEmpty: true},
		{Name: "cleared", Flag: "--cleared", Type: tool.TypeArray, Items: list, Form: tool.FormCSV, PassEmpty: true},
		{Name: "loud", Flag: "-v", Type: tool.TypeInteger, Form: tool.FormCount},
		{Name: "all", Flag: "-a", Type: tool.TypeBoolean, Form: tool.FormPresent},
		{Name: "short", Flag: "-n", Type: tool.TypeString},
		{Name: "one-dash", Flag: "-name", Type: tool.TypeString},
		{Name: "apart", Flag: "--apart", Type: tool.TypeString, Form: tool.FormApart},
		{Name: "label", Flag: "--label", Type: tool.TypeArray, Items: list},
		{Name: "plain", Flag: "--plain", Type: tool.TypeArray, Items: list, Form: tool.FormPlain},
		{Name: "must", Flag: "--must", Type: tool.TypeString, Required: true},
		{Name: "file", Type: tool.TypeString},
		{Name: "args", Type: tool.TypeArray, Items: list},
	}}
	for _, row := range []struct{ flags, rest, want string }{
		{``, ``, "get pods --must=m"},
		{`,"wait":false,"limit":1000000,"rate":1.50`, ``, "get pods --limit=1000000 --must=m --rate=1.50 --wait=false"},
		{`,"limit":1e6`, ``, "get pods --limit=1000000 --must=m"},
		{`,"wait":true,"name":null,"label":[],"apart":""`, ``, "get pods --must=m --wait=true"},
		{`,"kept":"","cleared":[]`, ``, "get pods --cleared= --kept= --must=m"},
		{`,"loud":3,"all":true,"short":"x"`, ``, "get pods --must=m -a -nx -v -v -v"},
		{`,"loud":0,"all":false,"one-dash":"-x"`, ``, "get pods --must=m -name=-x"},
		{`,"apart":"b","label":["a","--x=y"]`, ``, "get pods --apart b --label=a --label=--x=y --must=m"},
		{``, `,"args":["a","b"],"file":"f"`, "get pods --must=m f a b"},
		{`,"label":["` + strings.Repeat("x", longestWord-8) + `"]`, ``, "get pods --label=" + strings.Repeat("x", longestWord-8) + " --must=m"},

		{`,"apart":"-b"`, ``, "flags.apart: it begins with -"},
		{`,"short":"=b"`, ``, "flags.short: behind a flag of one letter"},
		{`,"loud":65`, ``, "flags.loud: want a number from 0 to 64"},
		{`,"loud":-1`, ``, "flags.loud: want a number from 0 to 64"},
		{`,"plain":["a,b"]`, ``, "flags.plain: the program splits values at commas"},
		{``, `,"file":"-f"`, "file: an argument begins with -"},
		{``, `,"args":["--"]`, "args: an argument begins with -"},
		{`,"nope":1`, ``, "flags.nope: there is no such parameter"},
		{``, `,"name":"x"`, "name: there is no such parameter"},
		{`,"name":"` + strings.Repeat("x", longestWord) + `"`, ``, "flags.name: it makes a word of"},
	} {
		arguments := `{"flags":{"must":"m"` + row.flags + `}` + row.rest + `}`
		made, failure := words(program, arguments)
		got := strings.Join(made, " ")
		if failure != nil {
			got = failure.Message
		}
		if got != row.want && (failure == nil || !strings.HasPrefix(got, row.want)) {
			t.Errorf("%.80s: got %.120q, want %.120q", arguments, got, row.want)
		}
	}
	if _, failure := words(program, `{"flags":{"must":""}}`); failure == nil || failure.Message != "flags.must: required, and not given" {
		t.Errorf("an empty text is as good as none: %v", failure)
	}
}

// FuzzWords: whatever a text holds, it arrives as it is, or the call is refused, and no other flag is given.
func FuzzWords(f *testing.F) {
	for _, text := range nasty {
		f.Add(text, "key")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		program := everything()
		for _, name := range []string{"string", "string-array", "string-slice", "string-to-string", "commas"} {
			var given any = text
			switch name {
			case "string-array", "string-slice", "commas":
				given = []any{text, "b"}
			case "string-to-string":
				given = map[string]any{key: text}
			}
			arguments, err := json.Marshal(map[string]any{"flags": map[string]any{name: given}, "args": []any{key}})
			if err != nil {
				return
			}
			checked, failure := program.CheckArguments(arguments)
			if failure != nil {
				continue // no text
			}
			made, failure := Words(program, checked)
			if failure != nil {
				continue
			}
			heard, err := hear(made)
			if err != nil {
				t.Fatalf("%s became %q: %v", arguments, made, err)
			}
			if len(heard.Flags) > 1 || len(heard.Args) != 1 {
				t.Fatalf("%s became %q, and was understood as %q %q", arguments, made, heard.Flags, heard.Args)
			}
			want, _ := json.Marshal(checked[name])
			if got, _ := json.Marshal(heard.Flags[name]); string(got) != string(want) && checked[name] != nil {
				t.Fatalf("%s became %q, and was understood as %s, not %s", arguments, made, got, want)
			}
		}
	})
}
