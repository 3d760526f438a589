package executor

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// hearing is a caller that hears what a call prints.
type hearing struct {
	person
	mu    sync.Mutex
	heard strings.Builder
	came  chan struct{}
}

func (h *hearing) Output(_ Stream, p []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard.Write(p)
	if h.came != nil && strings.Contains(h.heard.String(), "[secret]") {
		close(h.came)
		h.came = nil
	}
}

// TestStreamedAnswer guards that the events of a stream are heard as they come, without the credential that the server
// repeats, and are the result.
func TestStreamedAnswer(t *testing.T) {
	t.Parallel()
	padding := strings.Repeat(".", 100) // the end could be the beginning of the key, and is held back
	first := make(chan struct{})
	h, _ := asking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, c := range "data: {\"text\": \"one " + shopKey + padding + "\"}\n\n" {
			io.WriteString(w, string(c))
			w.(http.Flusher).Flush()
		}
		<-first // the second event comes when the first was heard
		io.WriteString(w, "data: {\"usage\": 5}\n\ndata: {\"text\": \"two\"}\n\ndata: [DONE]\n\ndata: {\"text\": \"three\"}\n\n")
	}), tool.Answer{Stream: tool.StreamEvents, Pick: "text"})
	caller := &hearing{person: person{h}, came: first}
	result := h.executor.Execute(t.Context(), h.call(`{}`), caller)
	want := "\"one [secret]" + padding + "\"\n\"two\"\n"
	if result.Status != tool.StatusCompleted || result.Stdout != want || caller.heard.String() != want {
		t.Errorf("%+v, heard %q", result, caller.heard.String())
	}
}

// TestStreamEndsAnywhere guards that a stream which is cut off at any byte fails the call, with the whole events before
// it and nothing else; and that one which never ends is ended by its bounds.
func TestStreamEndsAnywhere(t *testing.T) {
	t.Parallel()
	const body = "data: {\"n\": 1}\r\n\r\nid: 2\ndata: two\n\ndata: 3\n\n"
	for cut := range len(body) + 1 {
		h, _ := asking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, body[:cut])
			w.(http.Flusher).Flush()
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				conn.(*net.TCPConn).CloseWrite()
				conn.Close()
			}
		}), tool.Answer{Stream: tool.StreamEvents})
		result := h.execute(t.Context(), `{}`)
		if result.Error == nil || result.Error.Code != tool.FailUpstream || !strings.HasPrefix("{\"n\":1}\n\"two\"\n3\n", result.Stdout) ||
			result.Stdout != "" && !strings.HasSuffix(result.Stdout, "\n") {
			t.Errorf("cut at %d: %+v", cut, result)
		}
	}
	for name, test := range map[string]struct {
		event string
		code  tool.FailureCode
	}{
		"for ever":         {"data: {\"n\": 1}\n\n", tool.FailOutput},
		"no end of events": {"data: more\n", tool.FailNoJSON},
		"comments":         {": nothing\n", tool.FailOutput},
		"one line":         {"aaaaaaaaaaaaaaaa", tool.FailNoJSON},
	} {
		h, list := asking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(test.event, 1000)); err != nil {
					return
				}
			}
		}), tool.Answer{Stream: tool.StreamEvents})
		list.Sandbox.Limits.Output = 4 << 20
		result := h.execute(t.Context(), `{}`)
		if result.Error == nil || result.Error.Code != test.code {
			t.Errorf("%s: %+v", name, result.Error)
		}
	}
}
