package executor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// passOn puts the output into the result: what is too long by its beginning and its end, and what is no text with a note
// that says so. Where the author wants that, the whole of such a stream is kept in a file.
func (e *Executor) passOn(a *act, outcome sandbox.Outcome, result *tool.Result) {
	most := a.tool.Output.Keep
	if most == 0 && a.call.Origin.Door != tool.DoorCLI {
		most = tool.DefaultKeep
	}
	binary, blobs := map[string]tool.Binary{}, map[string]blob.Blob{}
	for _, stream := range []struct {
		name string
		data []byte
		to   *string
	}{{"stdout", outcome.Stdout, &result.Stdout}, {"stderr", outcome.Stderr, &result.Stderr}} {
		text, cut := string(stream.data), false
		if outcome.Truncated {
			text = tool.WholeRunes(text)
		}
		if isBinary(stream.data) {
			sum := sha256.Sum256(stream.data)
			binary[stream.name] = tool.Binary{Type: http.DetectContentType(stream.data), Bytes: int64(len(stream.data)), SHA256: hex.EncodeToString(sum[:])}
		} else {
			text, cut = tool.Excerpt(text, most)
		}
		*stream.to = text
		result.Truncated = result.Truncated || cut
		if _, isBinary := binary[stream.name]; a.tool.Output.Spill && (cut || isBinary) {
			e.spill(stream.name, stream.data, blobs, result)
		}
	}
	if len(binary) > 0 {
		result.Metadata.Diagnostics[tool.BinaryKey] = binary
	}
	if len(blobs) > 0 {
		result.Metadata.Diagnostics[tool.BlobsKey] = blobs
	}
}

// spill keeps a stream in a file. That it cannot be kept is told, and changes nothing about the call, which is over.
func (e *Executor) spill(name string, data []byte, blobs map[string]blob.Blob, result *tool.Result) {
	if e.blobs == nil {
		result.Metadata.Diagnostics["blob_error"] = "there is no place where output could be kept"
		return
	}
	kept, err := e.blobs.Keep(data)
	if err != nil {
		result.Metadata.Diagnostics["blob_error"] = err.Error()
		return
	}
	blobs[name] = kept
}

// isBinary tells whether data is no text: it holds NUL, or more than a tenth of it is no UTF-8. Text in an old encoding is
// text.
func isBinary(data []byte) bool {
	if bytes.IndexByte(data, 0) >= 0 {
		return true
	}
	if utf8.Valid(data) {
		return false
	}
	wrong := 0
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			wrong++
		}
		rest = rest[size:]
	}
	return wrong*10 > len(data)
}
