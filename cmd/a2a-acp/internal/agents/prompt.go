package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// commandLine is who talks to an agent here.
const commandLine = "the command line"

type promptFlags struct {
	policies     []string
	conversation string
	continued    bool
	json         bool
}

func promptCommand(env *cli.Environment) *cobra.Command {
	var flags promptFlags
	cmd := &cobra.Command{
		Use:   "prompt NAME TEXT",
		Short: "Say something to an agent, and print what it answers",
		Long: `prompt has an agent answer one message and prints the answer. What the agent does is told on standard
error. Its questions wait for a2a-acp approvals, at another terminal. TEXT is read from standard
input where it is -.

Prompts with the same --context are one conversation: the agent goes on with its session, where it can.`,
		Example: `  a2a-acp agents prompt gemini 'Which tests are slow?'
  git diff | a2a-acp agents prompt claude --context review -`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return prompt(cmd.Context(), env, flags, args[0], args[1])
		},
	}
	cmd.Flags().StringArrayVar(&flags.policies, "policies", nil, "a file of rules; may be repeated")
	cmd.Flags().StringVar(&flags.conversation, "context", "", "the name of a conversation; a new one where none is given")
	cmd.Flags().BoolVar(&flags.continued, "continue", false, "the same prompt was cut off; the agent is told so")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print each event as a line of JSON")
	return cmd
}

func prompt(ctx context.Context, env *cli.Environment, flags promptFlags, name, text string) error {
	if text == "-" {
		read, err := io.ReadAll(env.Stdin)
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		text = string(read)
	}
	if strings.TrimSpace(text) == "" {
		return cli.Fail(exit.Usage, errors.New("the prompt is empty"))
	}
	// What ends the program cancels the prompt, and the agent may say how that went.
	return with(context.WithoutCancel(ctx), env, flags.policies, env.Stderr, func(d *agentclient.Driver) error {
		p := &printer{env: env, json: flags.json, driver: d}
		key := agentclient.Conversation{Agent: name, Principal: commandLine, Context: flags.conversation}
		if key.Context == "" {
			key.Context = "once"
			defer func() { _ = d.Forget(context.WithoutCancel(ctx), key) }() // the process ends with ours anyway
		}
		outcome, err := d.Prompt(ctx, agentclient.Prompt{Conversation: key, Content: []agentclient.Content{{Text: text}},
			Continue: flags.continued}, p.tell)
		if err != nil {
			return codeOf(err)
		}
		p.end(outcome)
		if outcome.Stop == agentclient.StopCancelled {
			return cli.Silent(exit.Interrupt)
		}
		return nil
	})
}

// printer prints what happens while an agent answers.
type printer struct {
	env    *cli.Environment
	json   bool
	driver *agentclient.Driver
	inText bool // the answer so far does not end with a newline
	last   map[string]string
}

// line is an event for scripts.
type line struct {
	Event    string                  `json:"event"`
	Text     string                  `json:"text,omitempty"`
	Media    string                  `json:"media_type,omitempty"`
	Session  string                  `json:"session,omitempty"`
	How      string                  `json:"how,omitempty"`
	Why      string                  `json:"why,omitempty"`
	ID       string                  `json:"id,omitempty"`
	Title    string                  `json:"title,omitempty"`
	Kind     string                  `json:"kind,omitempty"`
	Status   string                  `json:"status,omitempty"`
	Options  []string                `json:"options,omitempty"`
	Command  string                  `json:"command,omitempty"`
	Risk     []string                `json:"risk,omitempty"`
	Diffs    []string                `json:"diffs,omitempty"` // the files that a tool call changes
	Output   string                  `json:"output,omitempty"`
	Plan     []agentclient.PlanEntry `json:"plan,omitempty"`
	Allowed  *bool                   `json:"allowed,omitempty"`
	By       string                  `json:"by,omitempty"`
	Stop     string                  `json:"stop_reason,omitempty"`
	Reported json.RawMessage         `json:"reported,omitempty"` // usage, or an update that nobody here reads
}

// lineOf returns an event for scripts.
func lineOf(e agentclient.Event) line {
	l := line{Event: strings.ReplaceAll(e.Kind.String(), " ", "_")}
	switch e.Kind {
	case agentclient.EventBegan:
		l.Session, l.How, l.Why = e.Began.Session, string(e.Began.How), e.Began.Why
	case agentclient.EventMessage, agentclient.EventThought:
		l.Text, l.Media = e.Chunk.Content.Text, e.Chunk.Content.MediaType
	case agentclient.EventPlan:
		l.Plan = e.Plan
	case agentclient.EventToolCall:
		c := e.ToolCall
		l.ID, l.Title, l.Kind, l.Status = c.ID, c.Title, c.Kind, c.Status
		for _, out := range c.Output {
			switch {
			case out.Diff != nil:
				l.Diffs = append(l.Diffs, out.Diff.Path)
			case out.Terminal != nil:
				l.Output += out.Terminal.Output
			case out.Content != nil:
				l.Output += out.Content.Text
			}
		}
	case agentclient.EventQuestion:
		q := e.Question
		l.ID, l.Title, l.Kind, l.Text, l.Command, l.Risk = q.ID, q.Title, q.Action, q.Text, q.Command, q.Risk
		for _, o := range q.Options {
			l.Options = append(l.Options, o.ID)
		}
	case agentclient.EventInput:
		l.ID, l.Text, l.Reported = e.Input.ID, e.Input.Message, e.Input.Schema
	case agentclient.EventAnswered:
		l.ID, l.Allowed, l.By, l.Why = e.Answered.Question, &e.Answered.Allowed, e.Answered.By, e.Answered.Reason
	case agentclient.EventUsage:
		l.Reported = e.Usage
	case agentclient.EventNotice:
		l.Text = e.Notice
	case agentclient.EventOther:
		l.Reported = e.Other
	}
	return l
}

// tell prints an event.
func (p *printer) tell(e agentclient.Event) {
	if e.Kind == agentclient.EventQuestion && strings.HasPrefix(e.Question.ID, agentclient.Here) {
		p.refuse(*e.Question)
	}
	if e.Kind == agentclient.EventInput {
		p.decline(*e.Input)
	}
	if p.json {
		p.write(lineOf(e))
		return
	}
	switch e.Kind {
	case agentclient.EventBegan:
		if e.Began.How == agentclient.OpenedAnew {
			p.say("the conversation begins anew: " + display.Line(e.Began.Why))
		}
	case agentclient.EventMessage:
		text := display.Whole(e.Chunk.Content.Text)
		fmt.Fprint(p.env.Stdout, text)
		p.inText = text != "" && !strings.HasSuffix(text, "\n")
	case agentclient.EventToolCall:
		c := e.ToolCall
		if words := display.Line(c.Status + ": " + c.Title); p.last[c.ID] != words {
			if p.last == nil {
				p.last = map[string]string{}
			}
			p.last[c.ID] = words
			p.say(words)
		}
	case agentclient.EventQuestion:
		words := fmt.Sprintf("the agent asks: %s\n%s", e.Question.Title, e.Question.Text)
		if !strings.HasPrefix(e.Question.ID, agentclient.Here) { // nobody finds that one, and it is refused
			words += fmt.Sprintf("\nanswer from another terminal: a2a-acp approvals approve %s (or deny)", e.Question.ID)
		}
		p.say(words)
	case agentclient.EventInput:
		p.say("the agent asks: " + display.Whole(e.Input.Message) + "\nnobody can tell it anything here")
	case agentclient.EventAnswered:
		words := "no"
		if e.Answered.Allowed {
			words = "yes"
		}
		p.say(strings.TrimSuffix(fmt.Sprintf("answered with %s: %s", words, display.Line(e.Answered.Reason)), ": "))
	}
}

// refuse says no to a question that stands nowhere else, such as for another mode: nobody would find it.
func (p *printer) refuse(q agentclient.Question) {
	i := slices.IndexFunc(q.Options, func(o agentclient.Option) bool { return !o.Kind.Allows() })
	if i < 0 {
		return
	}
	go func() { // ends with the question
		_ = p.driver.Answer(context.Background(), q.ID, agentclient.Answer{Option: q.Options[i], Principal: commandLine,
			By: "nobody", Reason: "nobody can be asked this here"}) // it has ended
	}()
}

// decline tells the agent nothing: nobody can be asked here.
func (p *printer) decline(in agentclient.Input) {
	go func() { // ends at once
		_ = p.driver.Reply(context.Background(), in.ID, agentclient.Reply{Declined: true, Principal: commandLine}) // it is over
	}()
}

func (p *printer) end(o agentclient.Outcome) {
	if p.json {
		p.write(line{Event: "end", Stop: string(o.Stop), Reported: o.Usage})
		return
	}
	if p.inText {
		fmt.Fprintln(p.env.Stdout)
	}
	if o.Stop != agentclient.StopEndTurn {
		p.say("it stopped: " + display.Line(string(o.Stop)))
	}
}

func (p *printer) write(l line) {
	_ = cli.WriteLine(p.env.Stdout, l) // who reads no more hears no more
}

func (p *printer) say(text string) {
	if p.inText {
		fmt.Fprintln(p.env.Stdout)
		p.inText = false
	}
	p.env.Say(text)
}
