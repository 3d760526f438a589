package cli

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestWriteDataInert checks that what an agent or a server says gives the terminal no commands in any form, and is the
// same for whoever reads that form.
func TestWriteDataInert(t *testing.T) {
	t.Parallel()
	said := map[string]string{
		"control": "\x1b]0;x\a\u009b31m\u007f\u0085\r", "direction\u202e": "a\u202eb\u2066c\u200b", "separator": "a\u2028b\ufeff\u00a0",
		"tag": "\U000e0041 \U000f0000", "lines": "one\ntwo\n", "tab": "a\tb", "plain": "é🎉 <b>",
	}
	for _, f := range []Format{FormatJSON, formatYAML} {
		var out strings.Builder
		if err := WriteData(&out, f, said); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(out.String(), func(r rune) bool {
			return r != '\n' && (r < ' ' || strings.ContainsRune("\u007f\u009b\u0085\u202e\u2066\u200b\u2028\ufeff\u00a0\U000e0041\U000f0000", r))
		}); i >= 0 {
			t.Errorf("%s: a terminal reads %q", f, out.String()[i:])
		}
		read := map[string]string{}
		err := json.Unmarshal([]byte(out.String()), &read)
		if f == formatYAML {
			err = yaml.Unmarshal([]byte(out.String()), &read)
		}
		if err != nil || !maps.Equal(read, said) {
			t.Errorf("%s: %q was read, not %q: %v", f, read, said, err)
		}
	}
	var line strings.Builder
	if err := WriteLine(&line, said); err != nil || strings.Count(line.String(), "\n") != 1 || strings.ContainsAny(line.String(), "\u009b\u202e") {
		t.Errorf("%q, %v", line.String(), err)
	}
}
