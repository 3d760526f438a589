package a2a

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

// answerer answers what tasks ask: as --answer says, in order, and then as who sits at the terminal says.
type answerer struct {
	env     *cli.Environment
	answers []string
}

// errRefused says that the server has not taken the last answer that there was.
var errRefused = errors.New("there is no other answer")

func addAnswers(env *cli.Environment, cmd *cobra.Command) *answerer {
	a := &answerer{env: env}
	cmd.Flags().StringArrayVar(&a.answers, "answer", nil, "an answer to what it asks; the next one to the next question")
	return a
}

// answer is that of a Talk.
func (a *answerer) answer(ctx context.Context, task a2aclient.End, refused error) (*wire.Message, error) {
	ask := a2aclient.AskOf(task.Status)
	if refused != nil {
		a.env.Say("the answer was not taken: " + refused.Error())
	}
	if len(a.answers) > 0 {
		text := a.answers[0]
		a.answers = a.answers[1:]
		return ask.Answer(text), nil
	}
	if !cli.IsTerminal(a.env.Stdin) {
		if refused != nil {
			return nil, errRefused
		}
		a.show(task, ask)
		return nil, nil
	}
	if refused == nil {
		a.show(task, ask)
	}
	prompt := "answer (nothing leaves the question open): "
	if task.Status.State == wire.TaskStateAuthRequired {
		prompt = "press Enter when that is done, or type an answer: "
	}
	line, err := a.line(ctx, prompt)
	switch {
	case err != nil:
		return nil, err
	case line == "" && task.Status.State == wire.TaskStateAuthRequired:
		return nil, a2aclient.ErrGoOn
	case line == "":
		return nil, nil
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(ask.Options) {
		line = ask.Options[n-1].ID
	}
	return ask.Answer(line), nil
}

// show shows what a task asks. What the server says cannot look like what we say.
func (a *answerer) show(task a2aclient.End, ask a2aclient.Ask) {
	fmt.Fprintf(a.env.Stderr, "\na2a-acp: the server asks:\n%s\n", cli.Indent(display.Text(strings.TrimSpace(ask.Text))))
	for i, option := range ask.Options {
		fmt.Fprintf(a.env.Stderr, "  %d  %s (%s)\n", i+1, display.Line(option.Name), display.Line(option.ID))
	}
}

// line reads a line of the terminal.
func (a *answerer) line(ctx context.Context, prompt string) (string, error) {
	read := make(chan string, 1)
	go func() { // ends with the line, or with the process: a read of a terminal cannot be interrupted
		line, _ := a.env.Ask(prompt)
		read <- line
	}()
	select {
	case line := <-read:
		return line, nil
	case <-ctx.Done():
		fmt.Fprintln(a.env.Stderr)
		return "", context.Cause(ctx)
	}
}
