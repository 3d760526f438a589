package executor

import (
	"encoding/json"
	"fmt"
	"io"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// remoteOutput is what a remote agent puts out, as the output of a tool: text, with files and data as lines of it.
// Nothing in it has an effect on a terminal, or is unseen.
type remoteOutput struct {
	to   io.Writer // nil for none
	keep int64     // how many bytes are kept; 0 for all
	most int64

	kept, errors []byte
	bytes        int64
	printed      map[wire.ArtifactID]int // of each artifact's parts
}

func newRemoteOutput(to streams, most int64) *remoteOutput {
	o := &remoteOutput{keep: to.last, most: most, printed: map[wire.ArtifactID]int{}}
	if to.stdout != nil {
		o.to = to.stdout
	}
	return o
}

// text puts out text. It reports whether there is more than there may be.
func (o *remoteOutput) text(text string) (full bool) {
	text = display.Whole(text)
	if o.most > 0 && o.bytes+int64(len(text)) > o.most {
		text, full = display.Cut(text, int(max(o.most-o.bytes, 0))), true
	}
	o.bytes += int64(len(text))
	if o.to != nil {
		_, _ = io.WriteString(o.to, text) // it says itself what became of it
	}
	o.kept = append(o.kept, text...)
	if o.keep > 0 && int64(len(o.kept)) > o.keep {
		o.kept = o.kept[int64(len(o.kept))-o.keep:]
	}
	return full
}

// mostComplaints bounds what an agent says that is no output.
const mostComplaints = 64 << 10

// complaint puts out what went wrong.
func (o *remoteOutput) complaint(text string) {
	text = display.Text(text) + "\n"
	o.errors = append(o.errors, text[:min(len(text), max(mostComplaints-len(o.errors), 0))]...)
}

// artifact puts out what is new of an artifact. whole says that it is not only what is new.
func (o *remoteOutput) artifact(a *wire.Artifact, whole bool) bool {
	parts := a.Parts
	if len(o.printed) > 10_000 {
		return true
	}
	if whole {
		parts = parts[min(len(parts), o.printed[a.ID]):]
	}
	o.printed[a.ID] += len(parts)
	return o.parts(parts)
}

func (o *remoteOutput) parts(parts wire.ContentParts) (full bool) {
	for _, part := range parts {
		if full {
			break
		}
		switch content := part.Content.(type) {
		case wire.Text:
			full = o.text(string(content))
		case wire.Raw:
			full = o.text(fmt.Sprintf("[a file %q, %q, %d bytes]\n", part.Filename, part.MediaType, len(content)))
		case wire.URL:
			full = o.text(fmt.Sprintf("[a file at %q]\n", string(content)))
		case wire.Data:
			object, _ := content.Value.(map[string]any)
			if object["type"] == "tool_result" { // of a2a-acp: its text came before
				continue
			}
			if data, err := json.Marshal(content.Value); err == nil {
				full = o.text(string(data) + "\n")
			}
		}
	}
	return full
}

func (o *remoteOutput) outcome() outcome {
	return outcome{Stdout: o.kept, Stderr: o.errors, OutputBytes: o.bytes + int64(len(o.errors))}
}
