package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/person"
)

// TestQuestionsInTurn has a batch put one question after the other on a terminal. What is typed before a question
// stands there answers nothing.
func TestQuestionsInTurn(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const call = `{"tool": "asks", "params": {"word": "w"}}` + "\n"
	m.write("calls.jsonl", strings.Repeat(call, 4))
	w := m.terminal(24, 80, "tools", "run", "--tools", filepath.Join(m.home, "tools.yaml"),
		"--batch", filepath.Join(m.home, "calls.jsonl"), "--at-once", "1")
	w.asked(1)
	w.typed("n\ny\ny\n") // the person who types ahead has seen one question, and each y would allow an act
	w.asked(2)
	w.typed("n\n")
	w.asked(3)
	w.typed("n\n")
	w.asked(4)
	w.typed("y\n")
	if err := w.ends(); err == nil || err.Error() != "exit status 3" {
		t.Errorf("it ended with %v; want exit status 3", err)
	}
	if !strings.Contains(w.everything(), "4 calls: 1 completed, 3 denied") {
		t.Errorf("the screen has:\n%s", w.everything())
	}
}

// TestAskedOnce has a call made as an agent's on a terminal, where the question is the one that the person answers.
func TestAskedOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	w := m.terminal(24, 80, "tools", "run", "--tools", filepath.Join(m.home, "tools.yaml"), "asks", "-p", "word=w", "--as", "claude")
	w.asked(1)
	w.typed("n\n")
	if err := w.ends(); err == nil || err.Error() != "exit status 3" {
		t.Errorf("it ended with %v; want exit status 3", err)
	}
	if shown := strings.Count(w.everything(), "Asked because"); shown != 1 {
		t.Errorf("the question stands on the screen %d times:\n%s", shown, w.everything())
	}
}

// TestLastLineEnds has a tool print a line without an end. A terminal gets one, a pipe the bytes as they are.
func TestLastLineEnds(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("unended.yaml", `version: 2
tools:
  unended: {name: Unended, description: Prints, script: "#!/bin/bash\nprintf unended"}
`)
	words := []string{"tools", "run", "--tools", filepath.Join(m.home, "unended.yaml"), "unended"}
	w := m.terminal(24, 80, words...)
	if err := w.ends(); err != nil {
		t.Error(err)
	}
	w.prints("unended\r\n", 1)
	if said, err := m.command(words...).Output(); err != nil || string(said) != "unended" {
		t.Errorf("a pipe has %q, %v", said, err)
	}
}

// asked waits until so many questions have been put.
func (w *window) asked(count int) {
	w.t.Helper()
	w.prints("Run it? [y/N]", count)
}

// prints waits until a text was printed so many times.
func (w *window) prints(text string, count int) {
	w.t.Helper()
	for range 1200 {
		if strings.Count(w.everything(), text) >= count {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	w.t.Fatalf("%q number %d does not come to the screen:\n%s", text, count, w.everything())
}

// TestLoginIsDone has a task wait for a login. Enter says that it is done: by a message, where one is waited for, and else the
// server is waited for.
func TestLoginIsDone(t *testing.T) {
	t.Parallel()
	const waits = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_AUTH_REQUIRED","message":{"messageId":"m1","role":"ROLE_AGENT",
		"parts":[{"text":"Log in."}%s]}}}`
	const done = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}`
	for name, test := range map[string]struct {
		data, prompt string
		messages     int32
	}{
		"by a message":  {`,{"data":{"type":"login","logins":[]}}`, "press Enter when that is done:", 2},
		"by the server": {"", "press Enter to wait for the server", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var messages atomic.Int32
			var entered atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					fmt.Fprintf(w, `{"name":"a","supportedInterfaces":[{"url":"http://%s/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, r.Host)
					return
				}
				var said struct{ Method string }
				_ = json.NewDecoder(r.Body).Decode(&said)
				task := fmt.Sprintf(waits, test.data)
				if said.Method == "SendMessage" {
					messages.Add(1)
				}
				if messages.Load() == test.messages && entered.Load() {
					task = done
				}
				if said.Method == "SendMessage" {
					task = `{"task":` + task + `}`
				}
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, task)
			}))
			defer server.Close()
			w := newMachine(t).terminal(24, 100, "send", server.URL, "hello")
			for range 1200 {
				if strings.Contains(w.everything(), test.prompt) {
					break
				}
				<-time.After(50 * time.Millisecond)
			}
			entered.Store(true)
			w.typed("\n")
			if err := w.ends(); err != nil || messages.Load() != test.messages {
				t.Errorf("it ended with %v after %d messages; want %d:\n%s", err, messages.Load(), test.messages, w.everything())
			}
		})
	}
}

// TestQuestionsAreLeft has people leave questions by Ctrl-C and Ctrl-D: the program ends, and nothing is written.
func TestQuestionsAreLeft(t *testing.T) {
	t.Parallel()
	if person.Look().Caller != person.Person && os.Getenv("REQUIRE_SANDBOX") == "" {
		t.Skip("nobody is shown to be a person here")
	}
	if !confines("--at-least", "full") {
		t.Skip("init asks about the sandbox where there is a full one")
	}
	const ctrlC, ctrlD = "\x03", "\x04"
	const program = ".local/share/zed/external_agents/registry/gemini/1/gemini" // an agent, about which there is something to ask
	for _, row := range []struct {
		args    []string
		asks    string
		key     string
		ends    string
		says    string
		missing string // a file that must not be there
	}{
		{[]string{"init", "--confine"}, "A number or a name", ctrlC, "exit status 130", "nothing is written", ".config/a2a-acp"},
		{[]string{"init", "--confine"}, "A number or a name", ctrlD, "exit status 2", "nothing is written", ".config/a2a-acp"},
		{[]string{"init", "--preset", "balanced"}, "in a sandbox", ctrlD, "exit status 2", "nothing is written", ".config/a2a-acp"},
	} {
		m := newMachine(t)
		m.write(program, "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(m.home, program), 0o700); err != nil {
			t.Fatal(err)
		}
		w := m.terminal(24, 80, row.args...)
		for range 1200 {
			if strings.Contains(w.everything(), row.asks) {
				break
			}
			<-time.After(50 * time.Millisecond)
		}
		w.typed(row.key)
		err := w.ends()
		if err == nil || err.Error() != row.ends {
			t.Errorf("%q at a question of %q: it ended with %v, want %s", row.key, row.args, err, row.ends)
		}
		if !strings.Contains(w.everything(), row.says) {
			t.Errorf("%q at a question of %q: the screen has no %q:\n%s", row.key, row.args, row.says, w.everything())
		}
		if _, err := os.Lstat(filepath.Join(m.home, row.missing)); !os.IsNotExist(err) {
			t.Errorf("%q at a question of %q: %s is there (%v)", row.key, row.args, row.missing, err)
		}
	}
}
