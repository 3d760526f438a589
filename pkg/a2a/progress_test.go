package a2a

import (
	"fmt"
	"strings"
	"testing"
)

// TestProgress checks that a client is told how a call goes on, now and then and not for ever, and that no word of it takes
// the place of a question.
func TestProgress(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	task := h.send("anna", "progress")
	if got := at(task, "status.state"); got != "TASK_STATE_INPUT_REQUIRED" {
		t.Fatalf("the task is %v", got)
	}
	if got := fmt.Sprint(at(task, "status.message")); !strings.Contains(got, "which one?") {
		t.Errorf("the question is %s", got)
	}
	history, _ := task["history"].([]any)
	var told []string
	for _, message := range history {
		if text := fmt.Sprint(at(message, "parts.0.text")); strings.Contains(text, "look ") {
			told = append(told, text)
		}
	}
	if len(told) != mostWords || told[0] != "bake: look 0" || told[1] != "bake: look 2" {
		t.Errorf("told %d times, %q first; want %d times, every other word", len(told), told[:min(2, len(told))], mostWords)
	}
}
