package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

type sendFlags struct {
	skill, data   string
	pairs, files  []string
	task, context string
	question      string
	save          string
	detach        bool
}

func sendCommand(env *cli.Environment) *cobra.Command {
	var flags sendFlags
	cmd := &cobra.Command{
		Use:   "send URL [TEXT]",
		Short: "Send a message to an A2A server, or run one of its skills, and follow it",
		Long: `send sends a message, prints what comes of it while it comes, and answers what is asked: on the terminal, or
with --answer. How it goes is told on standard error. TEXT is read from standard input where it is -.

A skill is run with --skill, and gets what -p and --data say: -p name=value is a text, or what the card says
that the skill takes there, as a daemon's does; -p name:=value is JSON. The server decides what it makes of that.

The token that shows who you are stands in a variable or a file, and is shown to the origin of URL alone.
What is interrupted here goes on there: watch follows it, tasks cancel ends it.

It exits with 1 where the task failed, 3 where it was rejected, and 4 where it waits for an answer.`,
		Example: `  a2a-acp send https://agent.example 'Which flights are late?'
  a2a-acp send localhost:8642 --token env:T --skill grep -p pattern=TODO
  a2a-acp send localhost:8642 --skill deploy --answer allow_once
  git diff | a2a-acp send https://agent.example --file plan.png -`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	s := addServer(env, cmd)
	f := cmd.Flags()
	f.StringVar(&flags.skill, "skill", "", "the skill that is to be run")
	f.StringArrayVarP(&flags.pairs, "param", "p", nil, "name=value for the skill; name:=value is JSON")
	f.StringVar(&flags.data, "data", "", "data as JSON, @file or - for standard input")
	f.StringArrayVar(&flags.files, "file", nil, "a file that is sent along")
	f.StringVar(&flags.task, "task", "", "the task that the message belongs to")
	f.StringVar(&flags.question, "question", "", "the question of the task that TEXT answers; without it, the one that it asks then")
	f.StringVar(&flags.context, "context", "", "the conversation that it belongs to")
	f.StringVar(&flags.save, "save", "", "a directory that files which come back are kept in")
	f.BoolVar(&flags.detach, "detach", false, "do not follow what comes of it")
	answers, push := addAnswers(env, cmd), addPush(env, cmd, "push")
	format := cli.AddFormat(cmd)
	_ = cmd.RegisterFlagCompletionFunc("skill", s.completeSkills)
	_ = cmd.MarkFlagDirname("save")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		message, err := flags.message(env, args[1:])
		if err == nil {
			err = checkSave(flags.save)
		}
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		request := &wire.SendMessageRequest{Message: message, Config: &wire.SendMessageConfig{ReturnImmediately: flags.detach}}
		if request.Config.PushConfig, err = push.config(); err != nil {
			return cli.Fail(exit.Usage, err)
		}
		ctx, stop := s.within(cmd.Context())
		defer stop()
		client, err := s.connect(ctx, args[0])
		if err != nil {
			return err
		}
		flags.typed(ctx, client, message)
		return (&sending{env: env, client: client, at: s.again(args[0]), format: *format, save: flags.save,
			answers: answers}).send(ctx, request)
	}
	return cmd
}

// message makes the message that is sent.
func (f sendFlags) message(env *cli.Environment, text []string) (*wire.Message, error) {
	if f.question != "" && f.task == "" {
		return nil, errors.New("--question is one of a task, which --task names")
	}
	var parts []*wire.Part
	for _, text := range text {
		if text == "-" {
			if f.data == "-" {
				return nil, errors.New("standard input can be the text or the data, not both")
			}
			read, err := io.ReadAll(env.Stdin)
			if err != nil {
				return nil, err
			}
			text = string(read)
		}
		if strings.TrimSpace(text) == "" {
			return nil, errors.New("the text is empty")
		}
		parts = append(parts, wire.NewTextPart(text))
	}
	data, err := f.object(env)
	if err != nil {
		return nil, err
	}
	if data != nil {
		parts = append(parts, &wire.Part{Content: wire.Data{Value: data}, MediaType: "application/json"})
	}
	for _, path := range f.files {
		part, err := filePart(path)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if parts == nil {
		return nil, errors.New("what is to be sent? give a text, --skill, --data or --file")
	}
	message := a2aclient.Ask{Question: f.question}.About(parts...)
	message.TaskID, message.ContextID = wire.TaskID(f.task), f.context
	if f.skill != "" {
		message.SetMeta("skillId", f.skill)
	}
	return message, nil
}

// object returns what -p and --data say; nil where nothing is said and no skill wants it.
func (f sendFlags) object(env *cli.Environment) (any, error) {
	var value any
	if f.data != "" {
		text := []byte(f.data)
		var err error
		switch path, isFile := strings.CutPrefix(f.data, "@"); {
		case f.data == "-":
			text, err = io.ReadAll(env.Stdin)
		case isFile:
			text, err = os.ReadFile(path)
		}
		if err == nil {
			err = json.Unmarshal(text, &value)
		}
		if err != nil {
			return nil, fmt.Errorf("--data: %w", err)
		}
	}
	object, isObject := value.(map[string]any)
	switch {
	case f.skill == "" && f.pairs == nil:
		return value, nil
	case value == nil:
		object = map[string]any{}
	case !isObject:
		return nil, errors.New("--data: want an object for a skill")
	}
	for _, pair := range f.pairs {
		name, text, ok := strings.Cut(pair, "=")
		name, isJSON := strings.CutSuffix(name, ":")
		if !ok || name == "" {
			return nil, fmt.Errorf("-p %s: want name=value or name:=JSON", pair)
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("-p %s is given twice; a list is given as JSON: -p %s:='[\"a\",\"b\"]'", name, name)
		}
		var value any = text
		if isJSON {
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				return nil, fmt.Errorf("-p %s: %w", name, err)
			}
		}
		object[name] = value
	}
	return object, nil
}

// typed makes JSON of what -p name=value says, where the card that the agent shows its callers says that the skill wants no
// text there. A server that shows none gets texts.
func (f sendFlags) typed(ctx context.Context, client *a2aclient.Client, message *wire.Message) {
	values := map[string]any{}
	for _, pair := range f.pairs {
		name, text, _ := strings.Cut(pair, "=")
		var value any
		if !strings.HasSuffix(name, ":") && json.Unmarshal([]byte(text), &value) == nil {
			values[name] = value
		}
	}
	if len(values) == 0 || f.skill == "" || !client.Card.Extended {
		return
	}
	card, err := client.ExtendedCard(ctx)
	if err != nil {
		return
	}
	types := card.ParameterTypes(f.skill)
	for _, part := range message.Parts {
		object, _ := part.Data().(map[string]any)
		for name, value := range values {
			if _, there := object[name]; there && isJSON(value, types[name]) {
				object[name] = value
			}
		}
	}
}

// isJSON reports whether a value is of a type of JSON Schema that is no text.
func isJSON(value any, kind string) bool {
	switch value := value.(type) {
	case float64: // more than a double holds stays the text that it is
		return (kind == "number" || kind == "integer" && value == math.Trunc(value)) && math.Abs(value) <= 1<<53
	case bool:
		return kind == "boolean"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

// longestFile bounds a file that is sent.
const longestFile = 32 << 20

func filePart(path string) (*wire.Part, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > longestFile {
		err = fmt.Errorf("%s is longer than %d MB", path, longestFile>>20)
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("--file: %w", err)
	}
	mediaType := mime.TypeByExtension(filepath.Ext(path))
	if mediaType == "" {
		mediaType = http.DetectContentType(content)
	}
	return &wire.Part{Content: wire.Raw(content), Filename: filepath.Base(path), MediaType: mediaType}, nil
}

// sending sends messages, and follows what comes of them.
type sending struct {
	env     *cli.Environment
	client  *a2aclient.Client
	at      string // how it is reached, as it was typed
	format  cli.Format
	lines   bool // --json is a line for each event
	save    string
	answers *answerer
}

func (s *sending) send(ctx context.Context, r *wire.SendMessageRequest) error {
	if r.Config.ReturnImmediately {
		event, err := s.client.Send(ctx, r)
		if err != nil {
			return failure(err)
		}
		if s.format != cli.FormatTable {
			return cli.WriteData(s.env.Stdout, s.format, wire.StreamResponse{Event: event})
		}
		if task, ok := event.(*wire.Task); ok {
			fmt.Fprintln(s.env.Stdout, display.Line(string(task.ID)))
			return nil
		}
		s.printer().tell(event)
		return nil
	}
	return s.talk(ctx, func(t *a2aclient.Talk) (a2aclient.End, error) { return t.Send(ctx, r) })
}

func (s *sending) follow(ctx context.Context, task string) error {
	return s.talk(ctx, func(t *a2aclient.Talk) (a2aclient.End, error) { return t.Follow(ctx, task) })
}

func (s *sending) printer() *printer {
	return &printer{env: s.env, files: &fileSaver{dir: s.save}, lines: s.lines, quiet: s.format != cli.FormatTable && !s.lines}
}

// talk follows a task, and ends with the code that its end leads to.
func (s *sending) talk(ctx context.Context, do func(*a2aclient.Talk) (a2aclient.End, error)) error {
	p := s.printer()
	s.answers.client = s.client
	end, err := do(&a2aclient.Talk{Client: s.client, Tell: p.tell, Answer: s.answers.answer, Late: s.answers.late})
	p.end()
	if err != nil {
		if end.Task != "" && ctx.Err() != nil {
			s.env.Say("the task goes on: a2a-acp watch " + s.at + " " + display.ShellWord(end.Task))
			err = context.Cause(ctx)
		}
		return failure(err)
	}
	if p.quiet {
		if err := s.write(ctx, end); err != nil {
			return err
		}
	}
	if end.Waits() {
		answer := "a2a-acp send " + s.at + " --task " + display.ShellWord(end.Task)
		if question := a2aclient.AskOf(end.Status).Question; question != "" { // by then it may ask something else
			answer += " --question " + display.ShellWord(question)
		}
		s.env.Say("the task waits for an answer: " + answer + " ANSWER")
	}
	return s.env.Ends(codeOf(end.Status.State))
}

// write writes the end of a task for scripts.
func (s *sending) write(ctx context.Context, end a2aclient.End) error {
	if end.Message != nil {
		return cli.WriteData(s.env.Stdout, s.format, wire.StreamResponse{Event: end.Message})
	}
	task, err := s.client.Task(ctx, wire.TaskID(end.Task))
	if err != nil {
		return failure(err)
	}
	return cli.WriteData(s.env.Stdout, s.format, wire.StreamResponse{Event: task})
}

// completeSkills completes the skills of the server that is named before.
func (s *server) completeSkills(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, stop := context.WithTimeout(cmd.Context(), 2*time.Second)
	defer stop()
	s.token = "" // nobody has asked for anything to be sent
	card, _, err := s.discover(ctx, args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var skills []string
	for _, skill := range card.Skills {
		skills = append(skills, cobra.CompletionWithDesc(display.Line(skill.ID), cli.FirstLine(skill.Description)))
	}
	return skills, cobra.ShellCompDirectiveNoFileComp
}
