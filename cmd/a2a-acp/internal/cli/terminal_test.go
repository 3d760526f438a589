package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// TestQuestionThatWasLeft guards against an answer that comes too late: it must not be taken for the answer
// to the question that is on the screen by then.
func TestQuestionThatWasLeft(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close() // ends the goroutine that reads
	terminal := NewTerminal(&Environment{Stdin: read, Stderr: io.Discard}, false)

	late := errors.New("nobody has answered in time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	if answer, err := terminal.put(ctx, approval.Question{Title: "first"}); !errors.Is(err, late) {
		t.Errorf("the first question: got %v, %v; want it left", answer, err)
	}
	if _, err := write.WriteString("y\ny\n"); err != nil {
		t.Fatal(err)
	}
	if answer, err := terminal.put(t.Context(), approval.Question{Title: "second"}); !errors.Is(err, approval.ErrNobody) || answer.Verdict == permissions.Approve {
		t.Errorf("the second question: got %v, %v; want nobody to ask", answer, err)
	}
}

// onWrite is called with what is written.
type onWrite func(text string)

func (f onWrite) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}

// TestYesNoIsLeft has a question left by Ctrl-C, which is no answer, and standard input end, which is a no.
func TestYesNoIsLeft(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	ctx, cancel := context.WithCancel(t.Context())
	left := &Environment{Stdin: read, Stderr: onWrite(func(string) { cancel() })} // as soon as the question stands there
	if yes, err := left.AskYes(ctx, "Shall I?"); yes || CodeOf(err) != exit.Interrupt {
		t.Errorf("left: got %t, %v; want an error that ends the program with %d", yes, err, exit.Interrupt)
	}
	if yes, err := left.AskYes(ctx, "And this?"); yes || CodeOf(err) != exit.Interrupt {
		t.Errorf("asked after that: got %t, %v", yes, err)
	}
	write.Close()
	ended := &Environment{Stdin: read, Stderr: io.Discard}
	if yes, err := ended.AskYes(t.Context(), "Shall I?"); yes || err != nil {
		t.Errorf("standard input has ended: got %t, %v; want a no", yes, err)
	}
	if _, err := ended.Ask(t.Context(), "Which?"); !errors.Is(err, ErrEnded) {
		t.Errorf("standard input has ended: got %v", err)
	}
}
