package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/blob"
	"github.com/a2a-acp/a2a-acp/pkg/events"
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
	for i, s := range []stream{
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
		full := a.tool.Audit == tool.AuditFull
		if (a.tool.Output.Spill || full) && r.notWhole == nil && (cut || isBinary || full && len(s.data) > events.Longest) {
			kept = e.spill(s, blobs, result)
		}
		if full {
			a.printed[i] = s.recorded(isBinary, mimeType, kept)
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

// recorded returns what stands on record of a stream: of one that is long the beginning. The whole is kept beside it.
func (s stream) recorded(isBinary bool, mimeType string, kept blob.Blob) string {
	switch {
	case isBinary:
		return describe(s, mimeType, kept).String()
	case s.long != nil:
		return tool.WholeRunes(string(s.data[:events.Longest])) + fmt.Sprintf("… [%d bytes, sha256 %s]", s.long.total, kept.SHA256)
	}
	return events.Text(string(s.data))
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
