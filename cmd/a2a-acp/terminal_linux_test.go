package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	asked := func(count int) {
		t.Helper()
		for range 1200 {
			if strings.Count(w.everything(), "Run it? [y/N]") >= count {
				return
			}
			<-time.After(50 * time.Millisecond)
		}
		t.Fatalf("question %d does not come to the screen:\n%s", count, w.everything())
	}
	asked(1)
	w.typed("n\ny\ny\n") // the person who types ahead has seen one question, and each y would allow an act
	asked(2)
	w.typed("n\n")
	asked(3)
	w.typed("n\n")
	asked(4)
	w.typed("y\n")
	if err := w.ends(); err == nil || err.Error() != "exit status 3" {
		t.Errorf("it ended with %v; want exit status 3", err)
	}
	if !strings.Contains(w.everything(), "4 calls: 1 completed, 3 denied") {
		t.Errorf("the screen has:\n%s", w.everything())
	}
}
