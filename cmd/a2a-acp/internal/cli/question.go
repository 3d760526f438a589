package cli

import (
	"bufio"
	"fmt"
	"strings"
)

// Ask prints a question on standard error and returns the line that is typed, without blanks around it; see Prompt.
// ok is false where standard input has ended.
func (e *Environment) Ask(question string) (line string, ok bool) {
	if err := e.Prompt(question); err != nil {
		return "", false
	}
	return e.ReadLine()
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

// ReadLine returns the line that is typed for what Prompt has asked, without blanks around it. ok is false where standard
// input has ended. A read of a terminal cannot be interrupted.
func (e *Environment) ReadLine() (line string, ok bool) {
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
