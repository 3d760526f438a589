package notify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// The tests of this package run one after another: a script that was written a moment ago cannot be started while
// another test is forking.

// desktop returns a Desktop whose notify-send is a script, and what that was given.
func desktop(t *testing.T, script string, o Options) (d *Desktop, given func() string) {
	dir := t.TempDir()
	program := filepath.Join(dir, "notify-send")
	text := "#!/bin/sh\nprintf '%s\\n' \"$@\" >>" + dir + "/given\n" + script
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	o.Programs, o.Patience = []string{program}, time.Nanosecond
	o.Getenv = func(string) string { return "unix:path=/nowhere" }
	if o.Wanted == nil {
		o.Wanted = func() bool { return true }
	}
	if o.Say == nil {
		o.Say = func(line string) { t.Log(line) }
	}
	return New(o), func() string {
		data, _ := os.ReadFile(filepath.Join(dir, "given"))
		return string(data)
	}
}

var asked = store.Approval{ID: "abcdefgh", Agent: "ag\u202e<b>ent\x1b", Kind: "execute",
	Title: "curl -H 'Authorization: hunter2'", Text: "hunter2"}

// A notification says who and what kind of act, and nothing that the agent or a secret has said.
func TestNothingSecret(t *testing.T) {
	d, given := desktop(t, "", Options{})
	if d.Waits(t.Context(), asked) {
		t.Error("nobody has pressed anything, and it is refused")
	}
	d.Violated(t.Context(), asked.Agent, asked.Kind)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	got := given()
	for _, never := range []string{"hunter2", "curl", "\u202e", "\x1b", "approve", "yes"} {
		if strings.Contains(got, never) {
			t.Errorf("%q is in a notification: %s", never, got)
		}
	}
	for _, want := range []string{"--action=refuse=Say no", `ag\u{202e}<b>ent\u{1b} asks: to run something`, "abcdefgh", "did what it must not: to run something"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the notifications: %s", want, got)
		}
	}
}

// A press says no. Whatever else comes from the desktop says nothing.
func TestWhatAPressSays(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		wanted       bool
		want         bool
	}{
		{"no", "echo refuse", true, true},
		{"closed", "exit 0", true, false},
		{"another word", "echo approve", true, false},
		{"it failed, and said no before", "echo refuse; exit 1", true, false},
		{"one that knows no actions", `case "$1" in --action*) echo unknown option >&2; exit 1;; esac; echo refuse.`, true, false},
		{"nobody wants it", "echo refuse", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, given := desktop(t, tt.script, Options{Wanted: func() bool { return tt.wanted }})
			if got := d.Waits(t.Context(), asked); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if sent := given() != ""; sent != tt.wanted {
				t.Errorf("sent: %v, wanted: %v", sent, tt.wanted)
			}
		})
	}
}

// A question that is over takes its notification down, and a press comes too late.
func TestOver(t *testing.T) {
	ctx, over := context.WithCancel(t.Context())
	d, given := desktop(t, "trap 'echo refuse; exit 0' INT\n: >\"$0.up\"\nwhile :; do sleep 0.01; done", Options{})
	refused := make(chan bool, 1)
	go func() { refused <- d.Waits(ctx, asked) }()
	for given() == "" {
		select {
		case <-refused:
			t.Fatal("it did not wait")
		case <-time.After(time.Millisecond):
		}
	}
	over()
	if <-refused {
		t.Error("refused, though it was over")
	}
}

// What is missing is told once.
func TestMissing(t *testing.T) {
	said := make(chan string, 10)
	d := New(Options{Wanted: func() bool { return true }, Getenv: func(string) string { return "unix:path=/nowhere" },
		Say: func(line string) { said <- line }, Programs: []string{"/nowhere/notify-send"}, Patience: time.Nanosecond})
	d.Waits(t.Context(), asked)
	d.Waits(t.Context(), asked)
	if got := <-said; !strings.Contains(got, "no /nowhere/notify-send; it is in libnotify-bin") || len(said) > 0 {
		t.Errorf("said %q, and %d more", got, len(said))
	}
}
