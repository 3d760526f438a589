package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// seenAs is a call as an agent's model and the person see it.
type seenAs struct {
	Agent string `json:"agent"`
	Known bool   `json:"known"` // whether we know how this agent names tools
	Name  string `json:"name"`  // what the model calls the tool by
	// Offered is what the agent is told of the tool; Exposed whether it is.
	Offered   mcpserver.Tool       `json:"offered"`
	Exposed   bool                 `json:"exposed"`
	Arguments json.RawMessage      `json:"arguments"`
	Decision  tool.DecisionSummary `json:"decision"`
	// Question is what the person would be asked, as Markdown; empty where nobody would be.
	Title    string `json:"question_title,omitempty"`
	Question string `json:"question,omitempty"`
	// Model is what the model gets as the result; Result the whole. Absent with --dry-run.
	Model *string `json:"model_gets,omitempty"`
	// All that its client gets, which may give the model another part.
	Told   *mcpserver.CallResult `json:"told,omitempty"`
	Result *tool.Result          `json:"result,omitempty"`
}

// gets takes over a result as the agent's client gets it, by the very code of the door.
func (s *seenAs) gets(t *tool.Tool, result tool.Result) {
	told := app.TellAgent(t, result)
	text := told.Content
	if e := told.Error; e != nil {
		text = fmt.Sprintf("an error of the protocol: %d %s", e.Code, e.Message)
	}
	for _, image := range told.Images {
		text += fmt.Sprintf("\n[and as a picture: %s, %d bytes]", image.Type, len(image.Data))
	}
	result = result.InText()
	s.Result, s.Told, s.Model = &result, &told, &text
}

// runAs makes a call as an agent's, and shows both sides of it.
func runAs(ctx context.Context, env *cli.Environment, a *app.App, call tool.Call, flags runFlags,
	asJSON bool) error {
	entry, ok := a.Configuration().Tools.LookupIn(call.Workspace, call.Tool)
	if !ok {
		_, err := findTool(a.Set(), call.Tool)
		return err
	}
	agent, known := agents.ByName(flags.agent)
	seen := seenAs{
		Agent: flags.agent, Known: known, Offered: mcpserver.FromTool(entry.Tool),
		Exposed: app.IsExposed(entry.Tool, a.Set().Settings, tool.Claims{}), Arguments: withoutSecrets(entry.Tool, call.Arguments),
	}
	seen.Name = agent.ToolName(mcpserver.Name, seen.Offered.Name)
	preview, failure := a.Executor.Preview(call)
	if failure == nil {
		seen.Decision = preview.Decision
		if q := preview.Question; q != nil {
			seen.Title, seen.Question = q.Title, q.Text
		}
	}
	terminal := cli.NewTerminal(env, flags.yes).WithBoard(a.Questions, flags.wait)
	if !asJSON {
		writeOffer(env.Stdout, seen)
		if failure == nil {
			governed := slices.ContainsFunc(a.Set().Governors,
				func(f governor.File) bool { return len(f.Permission) > 0 })
			follows := !flags.dryRun && terminal.Shows() && cli.IsTerminal(env.Stdout)
			writeAsked(env.Stdout, seen, governed, follows)
		}
	}
	if !flags.dryRun {
		result := a.Executor.Execute(ctx, call, terminal)
		seen.gets(entry.Tool, result)
	} else if failure != nil {
		result := tool.Result{ToolID: call.Tool, Status: tool.StatusFailed, ExitCode: -1, Error: failure}
		seen.gets(entry.Tool, result)
	}
	if asJSON {
		if err := cli.WriteData(env.Stdout, cli.FormatJSON, seen); err != nil {
			return err
		}
	} else if seen.Model != nil {
		fmt.Fprintf(env.Stdout, "\nThe model gets\n%s\n", cli.Indent(display.Text(*seen.Model)))
	}
	if seen.Result == nil {
		return nil
	}
	return cli.Silent(cli.CodeOfResult(*seen.Result))
}

// withoutSecrets gives arguments as they can be shown: what a person tries out is pasted into tickets.
func withoutSecrets(t *tool.Tool, arguments json.RawMessage) json.RawMessage {
	secret := t.SecretParameters()
	if len(secret) == 0 {
		return arguments
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &given); err != nil {
		return json.RawMessage(`"[not shown]"`) // the call itself says what is wrong with them
	}
	for name := range given {
		if secret[name] {
			given[name] = json.RawMessage(`"[secret]"`)
		}
	}
	shown, err := json.Marshal(given)
	if err != nil {
		return json.RawMessage(`"[not shown]"`)
	}
	return shown
}

// writeOffer tells what the model knows of the tool, and how it calls it.
func writeOffer(w io.Writer, seen seenAs) {
	fmt.Fprintf(w, "The model of %s is offered\n  %s", seen.Agent, seen.Name)
	if !seen.Known {
		fmt.Fprintf(w, "  (how this agent respells names is not known; known are %s)",
			strings.Join(cli.AgentNames(), ", "))
	}
	fmt.Fprintf(w, "\n%s\n", cli.Indent(display.Text(seen.Offered.Description)))
	fmt.Fprintf(w, "  %s\n", seen.Offered.InputSchema)
	if !seen.Exposed {
		fmt.Fprintln(w, "  Not now: it came with a2a-acp, and a2a-acp.yaml does not say expose: ["+
			seen.Offered.Name+"]")
	}
	fmt.Fprintf(w, "and calls it with\n  %s\n", display.Line(string(seen.Arguments)))
}

// writeAsked tells what the person sees of the call: the question, unless that follows on the same screen.
func writeAsked(w io.Writer, seen seenAs, governed, follows bool) {
	fmt.Fprintln(w, "\nThe person sees")
	switch {
	case seen.Question != "" && follows:
		fmt.Fprint(w, "  the question that follows, unless it was answered before\n\n")
		return
	case seen.Question != "":
		fmt.Fprintf(w, "  %s\n\n%s\n", seen.Title, cli.Indent(seen.Question))
		return
	}
	no := "no question"
	if governed && seen.Decision.Result == permissions.Approve.String() {
		no = "no question, unless a governor wants one"
	}
	fmt.Fprintf(w, "  %s: %s (%s%s): %s\n", no, seen.Decision.Result, seen.Decision.Source,
		cli.AtRule(seen.Decision), display.Line(seen.Decision.Reason))
}
