package openapi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/config"
)

// TestRemove: what imports have put into a file goes, and every other byte is what it was.
func TestRemove(t *testing.T) {
	t.Parallel()
	made, err := makeOf(t, around(`{"/a":{"get":{"operationId":"a"}},"/b":{"get":{"operationId":"b"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const mine = "# mine\nversion: 2\n\n# of mine\ntools:\n    # it says hello\n    hello:\n        script: echo hello # so\n\n    bye:\n        script: |\n            echo bye\n"
	const other = "sources:\n  other: {base_url: https://other.example}\n\n"
	byHand := "    hand:\n        http: {source: " + made.Sources[0].Name + ", get: /hand}\n"
	source := made.Sources[0].Name
	for name, before := range map[string]string{
		"a person's": mine, "with line ends of Windows": strings.ReplaceAll(mine, "\n", "\r\n"),
		"with another source": strings.Replace(mine, "# of mine", other+"# of mine", 1),
	} {
		file := config.File{Name: "tools.yaml", Data: []byte(before)}
		if file.Data, _, err = made.Refresh(file); err != nil {
			t.Fatal(err)
		}
		if sources, err := Imported(file); err != nil || len(sources) != 1 || sources[0] != source {
			t.Errorf("%s: imported are %q, %v", name, sources, err)
		}
		data, removed, err := Remove(file, source)
		if err != nil || strings.Join(removed, " ") != "a b" {
			t.Errorf("%s: %q, %v", name, removed, err)
		}
		if diff := cmp.Diff(before, string(data)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if _, _, err := Remove(config.File{Name: "x", Data: data}, source); err == nil {
			t.Errorf("%s: it is gone twice", name)
		}
	}

	file := config.File{Name: "tools.yaml", Data: []byte(mine)}
	if file.Data, _, err = made.Refresh(file); err != nil {
		t.Fatal(err)
	}
	file.Data = append(file.Data, byHand...)
	data, removed, err := Remove(file, source)
	if err != nil || len(removed) != 2 || !strings.HasSuffix(string(data), byHand) || !strings.Contains(string(data), "\n  "+source+":") {
		t.Errorf("of a source that a person's tool has: %q, %v\n%s", removed, err, data)
	}

	file.Data, err = made.File()
	if err != nil {
		t.Fatal(err)
	}
	if data, _, err := Remove(file, source); err != nil || data != nil {
		t.Errorf("of a file of its own is left %q, %v", data, err)
	}
}
