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

// receiver receives webhooks.
func receiver(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: receiver")
	}
	file, answer := filepath.Join(ts.Getenv("WORK"), "received.jsonl"), filepath.Join(ts.Getenv("WORK"), "answer")
	ts.Check(os.WriteFile(file, nil, 0o600))
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
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(ts.Getenv("WORK"), "received.jsonl"))
		ts.Check(err)
		switch have := bytes.Count(text, []byte("\n")); {
		case have == n:
			return
		case have > n || time.Now().After(until):
			ts.Fatalf("%d were received, want %d:\n%s", have, n, text)
		}
	}
}
