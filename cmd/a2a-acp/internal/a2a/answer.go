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
	client  *a2aclient.Client // of the server that asks
	left    bool              // a question was left that was being answered: its line is still read
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
	if a.left || !cli.IsTerminal(a.env.Stdin) { // what is typed for one question answers no other
		if refused != nil {
			return nil, errRefused
		}
		a.show(task, ask)
		return nil, nil
	}
	if refused == nil {
		a.show(task, ask)
	}
	prompt, login := "answer (nothing leaves the question open): ", task.Status.State == wire.TaskStateAuthRequired
	switch {
	case login && ask.Login:
		prompt = "press Enter when that is done: "
	case login: // the server sees itself that it is, or wants to be told something
		prompt = "press Enter to wait for the server, or type an answer: "
	case len(ask.Options) > 0:
		prompt = fmt.Sprintf("answer, by a number from 1 to %d (nothing leaves the question open): ", len(ask.Options))
	}
	line, err := a.line(ctx, task, prompt)
	switch {
	case err != nil:
		return nil, err
	case line == "" && login && ask.Login:
		return ask.Answer("done"), nil
	case line == "" && login:
		return nil, a2aclient.ErrGoOn
	case line == "":
		return nil, nil
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(ask.Options) {
		line = ask.Options[n-1].ID
		a.env.Say("answered: " + display.Line(ask.Options[n-1].Name))
	}
	return ask.Answer(line), nil
}

// show shows what a task asks. What the server says cannot look like what we say.
func (a *answerer) show(task a2aclient.End, ask a2aclient.Ask) {
	fmt.Fprintf(a.env.Stderr, "\na2a-acp: the server asks:\n%s\n", cli.Indent(display.Full(strings.TrimSpace(ask.Text))))
	for i, option := range ask.Options {
		fmt.Fprintf(a.env.Stderr, "  %d  %s (%s)\n", i+1, display.Line(option.Name), display.Line(option.ID))
	}
}

// late says that an answer counts for nothing.
func (a *answerer) late(refused error) {
	a.env.Say("somebody else has answered before, and that counts: " + display.Text(refused.Error()))
}

// line reads a line of the terminal, unless somebody answers elsewhere.
func (a *answerer) line(ctx context.Context, task a2aclient.End, prompt string) (string, error) {
	asked, stop := context.WithCancel(ctx)
	elsewhere, done := make(chan struct{}), make(chan struct{})
	go func() { // ends with the question
		defer close(done)
		if a.client.Answered(asked, task.Task) {
			close(elsewhere)
		}
	}()
	defer func() {
		stop()
		<-done
	}()
	if err := a.env.Prompt(prompt); err != nil {
		return "", err
	}
	read := make(chan string, 1)
	go func() { // ends with the line, or with the process
		line, _ := a.env.ReadLine(context.WithoutCancel(ctx)) // what follows knows why it is left
		read <- line
	}()
	select {
	case line := <-read:
		return line, nil
	case <-elsewhere:
		fmt.Fprintln(a.env.Stderr)
		a.env.Say(a2aclient.ErrAnswered.Error())
		a.left = true
		return "", a2aclient.ErrAnswered
	case <-ctx.Done():
		fmt.Fprintln(a.env.Stderr)
		return "", context.Cause(ctx)
	}
}
