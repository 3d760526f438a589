package witness

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "witness.jsonl")
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"magic_number","arguments":{"x":6}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"server/discover"}`,
		"",
	}, "\n")
	var out bytes.Buffer
	if err := Serve(strings.NewReader(in), &out, file); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"id":0,"jsonrpc":"2.0","result":{"capabilities":{"tools":{}},"protocolVersion":"2025-11-25","serverInfo":{"name":"witness","version":"1.0.0"}}}`,
		`{"id":"a","jsonrpc":"2.0","result":{"content":[{"text":"magic 43","type":"text"}]}}`,
		`{"error":{"code":-32601,"message":"the witness has no method server/discover"},"id":2,"jsonrpc":"2.0"}`,
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	entries, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 6 || entries[0].Started == nil || !entries[5].Ended {
		t.Errorf("%d entries, want a start, four messages and an end: %+v", len(entries), entries)
	}
	if diff := cmp.Diff([]string{`magic_number {"x":6}`}, Calls(entries)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestReadNothingYet(t *testing.T) {
	t.Parallel()
	if entries, err := Read(filepath.Join(t.TempDir(), "none")); err != nil || entries != nil {
		t.Errorf("Read gives %v, %v; want nothing", entries, err)
	}
}
