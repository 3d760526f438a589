package agentclient

import (
	"encoding/json"
	"testing"
)

// TestContentNames is about what a file of an agent's is called: what its URI says, and nothing that could lead astray.
func TestContentNames(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"attachment:///output.txt": "output.txt", "file:///w/src/a%20b.go": "a b.go", "https://example.com/x.png?y=/z": "x.png",
		"file:///w/..": "", "file:///w/": "", "memory:x": "", "file:///a%0Ab": "", "file:///%E2%80%AEcod.exe": "", "%": "", "": "",
		"file:///a%2Fb": "b",
	} {
		raw, err := json.Marshal(block{Type: "resource", Resource: &resource{URI: uri, Blob: []byte("x")}})
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := contentOf(raw); !ok || c.Name != want {
			t.Errorf("%q: %+v, want the name %q", uri, c, want)
		}
	}
}
