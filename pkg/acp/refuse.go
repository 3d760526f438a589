package acp

import (
	"io"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// Refuse answers the first request of an editor with why it gets no agent, which would stand nowhere but on standard error else.
// It waits for that request as long as patience lasts.
func Refuse(editorIn io.Reader, editorOut io.Writer, why error, patience time.Duration) {
	asked := make(chan []byte, 1)
	go func() { // ends with the first request, the editor's end, or the process
		defer close(asked)
		in := ndjson.NewReader(editorIn, 0)
		for {
			line, err := in.Next()
			if err != nil {
				return
			}
			if frame := ndjson.Scan(line); frame.HasMethod() && len(frame.ID) > 0 {
				asked <- errorResponse(frame.ID, wireError{Code: codeDenied, Message: "a2a-acp: " + why.Error()})
				return
			}
		}
	}()
	select {
	case answer := <-asked:
		if answer != nil {
			_ = ndjson.NewWriter(editorOut).Send(answer) // who is gone is told nothing
		}
	case <-time.After(patience):
	}
}
