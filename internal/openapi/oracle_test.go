//go:build oracle

package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestOracle holds what is read of documents that people use against what kin-openapi reads: which operations there are, and
// where each of their parameters goes. make specs fetches documents, and names them in A2A_SPECS. What kin-openapi refuses whole is counted, and left out.
func TestOracle(t *testing.T) {
	places := filepath.SplitList(os.Getenv("A2A_SPECS"))
	if len(places) == 0 {
		t.Fatal("A2A_SPECS is to name directories with documents, or documents, with : between them")
	}
	documents, refused, operations := 0, 0, 0
	look := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("openapi")) && !bytes.Contains(data, []byte("swagger")) ||
			!bytes.Contains(data, []byte("paths")) {
			return err
		}
		theirs, err := readByKin(data)
		documents++
		if err != nil {
			refused++
			return nil
		}
		made, err := Make(Request{Data: data, Source: "oracle", Server: "https://api.example.com", Tokens: func(*tool.Tool) int { return 1 }})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		operations += compare(t, path, made, theirs)
		return nil
	}
	for _, place := range places {
		if err := filepath.WalkDir(place, look); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d documents, of which kin-openapi refuses %d; %d operations", documents, refused, operations)
	if operations == 0 {
		t.Error("nothing was compared")
	}
}

// readByKin reads a document, which it does not validate: most people's is wrong somewhere.
func readByKin(data []byte) (*openapi3.T, error) {
	var head struct{ Swagger string }
	loader := openapi3.NewLoader()
	loader.Context = context.Background()
	if json.Unmarshal(data, &head) == nil && head.Swagger != "" {
		var old openapi2.T
		if err := json.Unmarshal(data, &old); err != nil {
			return nil, err
		}
		return openapi2conv.ToV3WithLoader(&old, loader, &url.URL{})
	}
	return loader.LoadFromData(data)
}

// compare reports what one reads and the other does not, and returns how many operations both have.
func compare(t *testing.T, document string, made *Made, theirs *openapi3.T) (operations int) {
	known := map[string]*openapi3.Operation{}
	items := map[string]*openapi3.PathItem{}
	for path, item := range theirs.Paths.Map() {
		for method, o := range item.Operations() {
			known[method+" "+path], items[method+" "+path] = o, item
		}
	}
	for i := range made.Tools {
		one := &made.Tools[i]
		line := one.Method + " " + one.Path
		o, item := known[line], items[line]
		if o == nil {
			t.Errorf("%s: kin-openapi has no %s", document, line)
			continue
		}
		operations++
		want, got := fieldsByKin(o, item), fieldsOf(one)
		for place := range want {
			_, name, _ := strings.Cut(place, " ")
			without := func(said string) bool { return strings.Contains(said, strconv.Quote(strings.TrimSpace(name))) }
			if !got[place] && !slices.ContainsFunc(one.Without, without) {
				t.Errorf("%s: %s: there is no %s", document, line, place)
			}
		}
		_, ofPath, _ := strings.Cut(one.Path, "?") // these are fields of the query to us, and a part of the path to it
		for place := range got {
			if name := strings.TrimPrefix(place, "query "); !want[place] && !strings.Contains("&"+ofPath, "&"+name+"=") {
				t.Errorf("%s: %s: kin-openapi has no %s", document, line, place)
			}
		}
	}
	if all := len(made.Tools) + len(made.Skipped); all < len(known) {
		t.Errorf("%s: %d operations, and kin-openapi has %d", document, all, len(known))
	}
	return operations
}

// fieldsByKin are the parameters of an operation by their place and name.
func fieldsByKin(o *openapi3.Operation, item *openapi3.PathItem) map[string]bool {
	fields := map[string]bool{}
	for _, list := range []openapi3.Parameters{item.Parameters, o.Parameters} {
		for _, p := range list {
			switch {
			case p.Value == nil, p.Value.In == "body", p.Value.In == "formData", // of Swagger 2 in YAML
				p.Value.In == "header" && slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(p.Value.Name)):
				continue
			}
			fields[p.Value.In+" "+p.Value.Name] = true
		}
	}
	return fields
}

// fieldsOf are those of a tool.
func fieldsOf(one *Tool) map[string]bool {
	fields := map[string]bool{}
	for _, f := range one.request.query {
		fields["query "+f.name] = true
	}
	for _, f := range one.request.headers {
		fields["header "+f.name] = true
	}
	for _, f := range one.request.cookies {
		fields["cookie "+f.name] = true
	}
	rest := one.Path
	for {
		_, after, found := strings.Cut(rest, "{")
		name, behind, closed := strings.Cut(after, "}")
		if !found || !closed {
			return fields
		}
		fields["path "+name], rest = true, behind
	}
}
