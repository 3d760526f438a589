package display

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n \"a\": \"é🎉\\n\"\n}\n": "{\n \"a\": \"é🎉\\n\"\n}\n",
		"\"\u009b31m\u007f\u0085\"": `"\u009b31m\u007f\u0085"`,
		"\"a\u202eb\u2066\"":        `"a\u202eb\u2066"`,
		"\"\U000e0041\"":            `"\udb40\udc41"`,
		"\"\x9b\"":                  `"\ufffd"`,
	} {
		got := JSON([]byte(text))
		var before, after any
		if string(got) != want || json.Unmarshal(got, &after) != nil || json.Unmarshal([]byte(text), &before) != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q is %s (%q, which was %q), want %s", text, got, after, before, want)
		}
	}
}

func TestYAML(t *testing.T) {
	t.Parallel()
	if got, want := string(YAML([]byte("a: \"\u009b\U000e0041é\"\n"))), "a: \"\\U0000009b\\U000e0041é\"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
