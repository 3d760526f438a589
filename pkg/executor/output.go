package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// putOutput puts the output into the result: what is too long by its beginning and its end, and what is no
// text with a note that says so. Where the author wants that, the whole of such a stream is kept in a file.
func (e *Executor) putOutput(a *act, r *runResult, result *tool.Result) {
	most := a.tool.Output.Keep
	if most == 0 && a.call.Origin.Door != tool.DoorCLI {
		most = tool.DefaultKeep
	}
	binary, blobs := map[string]tool.Binary{}, map[string]blob.Blob{}
	for _, s := range []stream{
		r.stream(0, "stdout", r.outcome.Stdout, &result.Stdout),
		r.stream(1, "stderr", r.outcome.Stderr, &result.Stderr),
	} {
		mimeType, isBinary := s.binary()
		text, cut := string(s.data), false
		if s.long != nil || !isBinary {
			text, cut = s.excerpt(most)
		}
		if r.outcome.Truncated {
			text = tool.WholeRunes(text)
		}
		*s.to = text
		result.Truncated = result.Truncated || cut
		var kept blob.Blob
		if a.tool.Output.Spill && r.notWhole == nil && (cut || isBinary) {
			kept = e.spill(s, blobs, result)
		}
		if isBinary {
			binary[s.name] = describe(s, mimeType, kept)
		}
	}
	if len(binary) > 0 {
		result.Metadata.Diagnostics[tool.BinaryKey] = binary
	}
	if len(blobs) > 0 {
		result.Metadata.Diagnostics[tool.BlobsKey] = blobs
	}
}

// describe says what a stream is that is no text. Of one that is longer than memory holds, the hash is
// known where it was kept.
func describe(s stream, mimeType string, kept blob.Blob) tool.Binary {
	if s.long != nil {
		return tool.Binary{Type: mimeType, Bytes: s.long.total, SHA256: kept.SHA256}
	}
	sum := sha256.Sum256(s.data)
	return tool.Binary{Type: mimeType, Bytes: int64(len(s.data)), SHA256: hex.EncodeToString(sum[:])}
}

// spill keeps a stream in a file. That it cannot be kept is told, and changes nothing about the call, which
// is over.
func (e *Executor) spill(s stream, blobs map[string]blob.Blob, result *tool.Result) (kept blob.Blob) {
	var err error
	switch {
	case s.long != nil:
		kept, err = s.long.commit()
	case e.blobs == nil:
		err = errors.New("there is no place where output could be kept")
	default:
		kept, err = e.blobs.Keep(s.data)
	}
	if err != nil {
		result.Metadata.Diagnostics[tool.BlobErrorKey] = fmt.Sprintf("the whole of %s could not be kept: %v",
			s.name, err)
		return blob.Blob{}
	}
	blobs[s.name] = kept
	return kept
}
