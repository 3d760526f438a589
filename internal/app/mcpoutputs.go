package app

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// outputsURI is what the URIs of outputs begin with that were too long for a result.
const outputsURI = "a2a-acp://outputs/"

const (
	// mostOutput is how many bytes of an output are read at once.
	mostOutput = 1 << 20
	// mostOutputs is how many outputs of a principal can be read, and mostOwners of how many.
	mostOutputs = 1000
	mostOwners  = 10_000
)

// mcpOutputs are the outputs of calls that were too long for their results, by whose calls they were. Nobody
// reads another's: a hash alone opens nothing.
type mcpOutputs struct {
	mu sync.Mutex
	of map[string][]keptOutput // by principal, the oldest first
}

// keptOutput is one of them.
type keptOutput struct{ hash, kind string }

// keep notes whose an output is.
func (o *mcpOutputs) keep(principal string, output keptOutput) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil || o.of[principal] == nil && len(o.of) >= mostOwners {
		o.of = map[string][]keptOutput{}
	}
	list := slices.DeleteFunc(o.of[principal], func(other keptOutput) bool { return other.hash == output.hash })
	if len(list) >= mostOutputs {
		list = slices.Clone(list[1:])
	}
	o.of[principal] = append(list, output)
}

// find returns an output of a principal's own.
func (o *mcpOutputs) find(principal, hash string) (keptOutput, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.of[principal], func(other keptOutput) bool { return other.hash == hash })
	if i < 0 {
		return keptOutput{}, false
	}
	return o.of[principal][i], true
}

// linkOutputs adds links to what was too long for a result, which its caller may read.
func (d *mcpDoor) linkOutputs(client *mcpserver.Client, result tool.Result, told *mcpserver.CallResult) {
	blobs, _ := result.Metadata.Diagnostics[tool.BlobsKey].(map[string]blob.Blob)
	binary, _ := result.Metadata.Diagnostics[tool.BinaryKey].(map[string]tool.Binary)
	for _, stream := range []string{"stdout", "stderr"} {
		kept, ok := blobs[stream]
		if !ok {
			continue
		}
		kind := "text/plain"
		if b, is := binary[stream]; is {
			kind = b.Type
		}
		d.outputs.keep(client.Principal, keptOutput{kept.SHA256, kind})
		if !client.KnowsLinks() {
			continue
		}
		link, err := json.Marshal(map[string]any{
			"type": "resource_link", "uri": outputsURI + kept.SHA256, "name": stream, "mimeType": kind, "size": kept.Bytes,
			"description": "the whole of " + stream + "; with ?offset=N&length=N a part of it, at most a megabyte at once",
		})
		if err == nil {
			told.Blocks = append(told.Blocks, link)
		}
	}
}

// readOutput reads an output, or a part of it.
func (d *mcpDoor) readOutput(client *mcpserver.Client, uri string) (mcpserver.ReadResult, error) {
	hash, query, _ := strings.Cut(strings.TrimPrefix(uri, outputsURI), "?")
	output, own := d.outputs.find(client.Principal, hash)
	if !own || d.app.state == "" {
		return mcpserver.ReadResult{}, mcpserver.ErrNoResource
	}
	offset, length, err := partOf(query)
	if err != nil {
		return mcpserver.ReadResult{}, err
	}
	store := blob.Store{Dir: filepath.Join(d.app.state, blobsName)}
	part, total, err := store.Read(hash, offset, length)
	if err != nil {
		return mcpserver.ReadResult{}, mcpserver.ErrNoResource //nolint:nilerr // it is gone by now, or cannot be read
	}
	contents := contentsOf(uri, output.kind, part)
	contents.Meta = map[string]any{"a2a-acp/total": total, "a2a-acp/next": offset + int64(len(part))}
	return mcpserver.ReadResult{Contents: []mcpserver.ResourceContents{contents}}, nil
}

// partOf reads which part of an output is meant: its first megabyte where nothing is said.
func partOf(query string) (offset, length int64, err error) {
	wrong := &mcpserver.ProtocolError{Code: mcpParams, Message: "offset and length are whole numbers, from 0 on"}
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, 0, wrong //nolint:nilerr // it says it
	}
	length = mostOutput
	for name, into := range map[string]*int64{"offset": &offset, "length": &length} {
		if text := values.Get(name); text != "" {
			if *into, err = strconv.ParseInt(text, 10, 64); err != nil || *into < 0 {
				return 0, 0, wrong //nolint:nilerr // it says it
			}
		}
	}
	return offset, min(length, mostOutput), nil
}

// contentsOf tells data as text, if it is.
func contentsOf(uri, kind string, data []byte) mcpserver.ResourceContents {
	contents := mcpserver.ResourceContents{URI: uri, Type: kind}
	if utf8.Valid(data) {
		text := string(data)
		contents.Text = &text
	} else {
		contents.Blob = data
	}
	return contents
}
