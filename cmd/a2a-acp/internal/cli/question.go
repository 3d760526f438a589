package cli

import (
	"bufio"
	"fmt"
	"strings"
)

// Ask prints a question on standard error and returns the line that is typed, without blanks around it. What
// was typed at a terminal before the question stood there is dropped: nobody had read it yet. ok is false where
// standard input has ended.
func (e *Environment) Ask(question string) (line string, ok bool) {
	if e.typed == nil {
		e.typed = bufio.NewReader(e.Stdin) // one for all questions: it may hold more than a line
	}
	if IsTerminal(e.Stdin) {
		if err := DropTyped(e.Stdin); err != nil {
			return "", false
		}
		_, _ = e.typed.Discard(e.typed.Buffered()) // of bytes that are there
	}
	fmt.Fprint(e.Stderr, question)
	line, err := e.typed.ReadString('\n')
	return strings.TrimSpace(line), err == nil || line != ""
}

// AskYes asks a question whose answer is no unless it is y or yes.
func (e *Environment) AskYes(question string) bool {
	line, _ := e.Ask(question + " [y/N] ") // what cannot be read is no yes
	return isYes(line)
}

func isYes(line string) bool {
	line = strings.ToLower(line)
	return line == "y" || line == "yes"
}
