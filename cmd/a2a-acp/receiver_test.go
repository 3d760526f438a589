package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// receiverNews is the key of a script's news that a webhook was received.
type receiverNews struct{}

// receiver receives webhooks.
func receiver(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: receiver")
	}
	file, answer := filepath.Join(ts.Getenv("WORK"), "received.jsonl"), filepath.Join(ts.Getenv("WORK"), "answer")
	ts.Check(os.WriteFile(file, nil, 0o600))
	one, ok := ts.Value(receiverNews{}).(news)
	if !ok {
		ts.Fatalf("there is no news")
	}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		line, err := json.Marshal(map[string]any{"id": r.Header.Get("Webhook-Id"), "signature": r.Header.Get("Webhook-Signature"),
			"authorization": r.Header.Get("Authorization"), "traceparent": r.Header.Get("Traceparent"), "body": json.RawMessage(body)})
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			f.Write(append(line, '\n'))
			f.Close()
		}
		status := http.StatusNoContent
		if text, err := os.ReadFile(answer); err == nil {
			status, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		w.WriteHeader(status)
		one.tell()
	}))
	ts.Defer(server.Close)
	ts.Setenv("RECEIVER", server.URL)
}

// received waits until so many webhooks were received.
func received(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: received N")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	one, ok := ts.Value(receiverNews{}).(news)
	if !ok {
		ts.Fatalf("there is no news")
	}
	have, text := 0, ""
	one.until(time.Minute, func() bool {
		all, err := os.ReadFile(filepath.Join(ts.Getenv("WORK"), "received.jsonl"))
		ts.Check(err)
		have, text = bytes.Count(all, []byte("\n")), string(all)
		return have >= n
	})
	if have != n {
		ts.Fatalf("%d were received, want %d:\n%s", have, n, text)
	}
}
