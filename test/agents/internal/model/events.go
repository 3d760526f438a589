package model

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// events writes server-sent events.
type events struct {
	w     http.ResponseWriter
	flush func() error
}

func newEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return &events{w: w, flush: http.NewResponseController(w).Flush}
}

// send sends one event; name may be empty. A reader that is gone ends the request, so its errors need no
// answer here.
func (e *events) send(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte(fmt.Sprintf("%q", err.Error()))
	}
	e.write(name, text)
}

// done says the word that some APIs end a stream with.
func (e *events) done() { e.write("", []byte("[DONE]")) }

func (e *events) write(name string, text []byte) {
	if name != "" {
		_, _ = fmt.Fprintf(e.w, "event: %s\n", name)
	}
	_, _ = fmt.Fprintf(e.w, "data: %s\n\n", text)
	_ = e.flush()
}
