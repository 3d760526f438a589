package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
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
