package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// ErrEnded says that standard input has ended before there was an answer.
var ErrEnded = errors.New("standard input has ended before the question was answered")

// Ask prints a question on standard error and returns the line that is typed, without blanks around it; see Prompt
// and ReadLine.
func (e *Environment) Ask(ctx context.Context, question string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", interrupted(ctx)
	}
	if err := e.Prompt(question); err != nil {
		return "", err
	}
	line, err := e.ReadLine(ctx)
	if ctx.Err() != nil {
		fmt.Fprintln(e.Stderr) // what follows begins a line of its own
		return "", interrupted(ctx)
	}
	return line, err
}

// interrupted is why a question was left: Ctrl-C has been pressed, or the program is to end.
func interrupted(ctx context.Context) error {
	return Fail(exit.Interrupt, fmt.Errorf("left without an answer: %w", context.Cause(ctx)))
}

// Prompt prints a question on standard error. What was typed at a terminal before is dropped: nobody had read the
// question yet.
func (e *Environment) Prompt(question string) error {
	if e.typed == nil {
		e.typed = bufio.NewReader(e.Stdin) // one for all questions: it may hold more than a line
	}
	if IsTerminal(e.Stdin) {
		if err := DropTyped(e.Stdin); err != nil {
			return err
		}
		_, _ = e.typed.Discard(e.typed.Buffered()) // of bytes that are there
	}
	fmt.Fprint(e.Stderr, question)
	return nil
}

// ReadLine returns the line that is typed for what Prompt has asked, without blanks around it; ErrEnded where standard
// input has ended, and the cause where ctx ends first. A read of a terminal cannot be interrupted, so nothing more may be
// asked then: the line that comes at last would be taken for the answer.
func (e *Environment) ReadLine(ctx context.Context) (string, error) {
	read := make(chan string, 1)
	typed := e.typed
	go func() { // ends with the line, or with the process
		line, err := typed.ReadString('\n')
		if err == nil || line != "" {
			read <- line
		}
		close(read)
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case line, ok := <-read:
		if !ok {
			return "", ErrEnded
		}
		return strings.TrimSpace(line), nil
	}
}

// AskYes asks a question whose answer is no unless it is y or yes. What cannot be read is no yes. An error says that
// the question was left.
func (e *Environment) AskYes(ctx context.Context, question string) (bool, error) {
	line, err := e.Ask(ctx, question+" [y/N] ")
	if ctx.Err() != nil {
		return false, err
	}
	return err == nil && IsYes(line), nil
}

// IsYes reports whether a line that somebody has typed says yes: y or yes, in any case.
func IsYes(line string) bool {
	line = strings.ToLower(line)
	return line == "y" || line == "yes"
}
