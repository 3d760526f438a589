package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		format  Format
		yes, no []string
	}{
		{FormatPath, []string{"a", "-rf", "/etc/passwd", "a b\n", "../x", "$(id)"}, []string{""}},
		{
			FormatDuration, []string{"90s", "1h30m", "1.5h", "100us", "0s"},
			[]string{"", "90", "-1s", "+1s", "1d", "1h 30m", "s", "1.s", "9999999999999h", "1s\n", "1s;id"},
		},
		{
			FormatIP, []string{"127.0.0.1", "::1", "2001:db8::1", "::ffff:1.2.3.4"},
			[]string{"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "fe80::1%eth0", "fe80::1%$(id)", "01.2.3.4", "localhost", "1.2.3.4 ", "1.2.3.4\n"},
		},
		{
			FormatCIDR, []string{"10.0.0.0/8", "192.168.1.7/24", "2001:db8::/32", "::/0"},
			[]string{"", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "::/129", "10.0.0.0/-1", "fe80::1%e/64", "/8"},
		},
		{
			FormatBase64, []string{"", "YQ==", "YQ", "YWI", "YWJj", "-_-_", "+/+/", "/w=="},
			[]string{"Y", "YQ=", "YQ===", "YR==", "Y Q=", "YQ==\n", "+_+_", "YWJj\nYWJj", "="},
		},
		{
			FormatURI, []string{"https://example.com", "http://[::1]:80/a?b=c#d", "mailto:a@b", "urn:x:y", "file:///etc/passwd"},
			[]string{"", "example.com", "//example.com", "https:", "https://a b", "https://a\n", "https://ä", "1a:b", "http://[::1", "http://a/%zz", `http://a/"`},
		},
		{
			FormatEmail, []string{"a@b", "a.b+c@example.com", "-x@example.org"},
			[]string{"", "a", "@b", "a@", "a b@c", "a@-b", "a@b..c", "a@b\n", "A <a@b>", strings.Repeat("a", 250) + "@b.com"},
		},
	} {
		p := &Parameter{Name: "v", Type: TypeString, Format: row.format}
		schema := oracle(t, &Tool{Parameters: []Parameter{*p}})
		for _, text := range row.yes {
			if !row.format.Holds(text) {
				t.Errorf("%s: %q is refused", row.format, text)
			}
			if err := schema.Validate(map[string]any{"v": text}); err != nil {
				t.Errorf("%s: the schema refuses %q: %v", row.format, text, err)
			}
		}
		for _, text := range row.no {
			if row.format.Holds(text) {
				t.Errorf("%s: %q is accepted", row.format, text)
			}
		}
		if pattern := formatRules[row.format].pattern; pattern != nil && !portable(strings.TrimSuffix(strings.TrimPrefix(pattern().String(), "^(?:"), ")$")) {
			t.Errorf("%s: agents cannot be shown %s", row.format, pattern())
		}
	}
	if !Format("").Holds("") || Format("ipv4").Holds("1.2.3.4") {
		t.Error("no format holds every text, an unknown one none")
	}
}

func TestFormatsOfArguments(t *testing.T) {
	t.Parallel()
	tool := &Tool{Parameters: []Parameter{
		{Name: "file", Type: TypeString, Format: FormatPath, Description: "What to read"},
		{Name: "hosts", Type: TypeArray, Items: &Parameter{Type: TypeString, Format: FormatIP}},
		{Name: "key", Type: TypeString, Format: FormatBase64, Secret: true},
		{Name: "after", Type: TypeString, Format: FormatDuration, Pattern: "[0-9]+s"},
	}}
	_, failure := tool.CheckArguments(json.RawMessage(`{"file":"","hosts":["::1","nowhere"],"key":"hunter2!","after":"1m"}`))
	want := `file: want the path of a file or directory, found ""; hosts[1]: want an IP address, found "nowhere"; ` +
		`key: want base64, found another value, which is secret; after: want a text that matches [0-9]+s as a whole, found "1m"`
	if failure == nil || failure.Message != want {
		t.Errorf("got\n%v\nwant\n%s", failure, want)
	}
	got, _ := json.Marshal(tool.InputSchema()["properties"])
	const schema = `{"after":{"description":"a duration such as 90s or 1h30m","pattern":"^(?:[0-9]+s)$","type":"string"},` +
		`"file":{"description":"What to read (the path of a file or directory)","minLength":1,"type":"string"},` +
		`"hosts":{"items":{"description":"an IP address","pattern":"^(?:[0-9A-Fa-f:.]{2,45})$","type":"string"},"type":"array"},` +
		`"key":{"description":"base64","pattern":"^(?:[A-Za-z0-9+/_-]*={0,2})$","type":"string"}}`
	if diff := cmp.Diff(schema, string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	oracle(t, tool)
}

// FuzzFormat: what a format holds, the schema that agents are shown accepts, and nothing that is held has a
// line break or a sign that a shell knows, but for paths and the marks of URIs and addresses.
func FuzzFormat(f *testing.F) {
	for _, text := range []string{"90s", "::1", "10.0.0.0/8", "YQ==", "https://example.com", "a@b", "$(id)"} {
		for i := range Formats() {
			f.Add(i, text)
		}
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		formats := Formats()
		format := formats[((i%len(formats))+len(formats))%len(formats)]
		if !format.Holds(text) {
			return
		}
		if pattern := formatRules[format].pattern; pattern != nil && !pattern().MatchString(text) {
			t.Errorf("%s: %q is accepted, and %s says no", format, text, pattern())
		}
		if format != FormatPath && strings.ContainsAny(text, " \t\r\n\x00\"\\<>") {
			t.Errorf("%s: %q", format, text)
		}
		if format != FormatPath && format != FormatEmail && format != FormatBase64 && strings.HasPrefix(text, "-") {
			t.Errorf("%s: %q would be an option", format, text)
		}
	})
}
