package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/pkg/a2a"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// a2aDoor opens the A2A door of the daemon.
func (a *App) a2aDoor(agents AgentsOptions) (serve.Door, error) {
	door, err := a.openDoor()
	if err != nil {
		return serve.Door{}, err
	}
	d := &a2aDoor{Door: door}
	shut := func(ctx context.Context) {
		if err := d.shut(ctx); err != nil {
			a.o.Say(fmt.Sprintf("the A2A door: %v", err))
		}
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.open(agents); err != nil {
		shut(over)
		return serve.Door{}, fmt.Errorf("the A2A door: %w", err)
	}
	context.AfterFunc(a.ending, func() { shut(over) }) // where the daemon never came to serve
	anybody := func(pattern string) serve.Route {
		return serve.Route{Pattern: pattern, Scope: serve.Anybody, Handler: d.server}
	}
	return serve.Door{
		Name: "a2a",
		Routes: []serve.Route{
			{Pattern: "/", Scope: serve.ScopeTasks, Handler: d.server},
			anybody("GET /.well-known/agent-card.json"), anybody("GET /.well-known/agent.json"),
			anybody("GET /ping"), anybody("GET /health"),
			{Pattern: "GET /metrics/push-notifications", Scope: serve.ScopeAudit, Handler: d.server},
			{Pattern: "GET /metrics/system", Scope: serve.ScopeAudit, Handler: d.server},
			{Pattern: "/a2a/agents/", Scope: serve.ScopeAdmin, Handler: d.server}, // an agent's login is everybody's
			anybody("GET " + a2a.KeySetPath), anybody("GET /agents/{name}/.well-known/agent-card.json"),
			anybody("GET /agents/{name}/.well-known/agent.json"), anybody("GET /agents/.well-known/agent-card.json"),
		},
		FirstLine: d.firstLine,
		Ready:     d.server.Ready,
		Recheck: func(func(*serve.Principal, serve.Scope) *serve.Principal) {
			d.server.Recheck()
			d.agents.Expel(d.acts)
		},
		Drain: shut,
	}, nil
}

// a2aDoor is what A2A clients reach.
type a2aDoor struct {
	*Door
	log    *tasklog.Log
	agents *agentclient.Driver
	server *a2a.Server

	shutting sync.Once
}

// cardKeyName is the file in the state directory with the key that cards are signed with.
const cardKeyName = "card.key"

func (d *a2aDoor) open(agents AgentsOptions) error {
	a := d.app
	if a.state == "" {
		return fmt.Errorf("there is no state directory to keep tasks in: %w", a.Unrecorded)
	}
	signer, err := a.cardSigner()
	if err != nil {
		return err
	}
	ctx := context.Background()
	if d.log, err = tasklog.Open(ctx, tasklog.Options{Path: filepath.Join(a.state, tasklog.Name)}); err != nil {
		return err
	}
	agent := a2a.NewToolAgent(a2a.ToolOptions{
		Tools: &a2aTools{door: d.Door, admitted: map[string]error{}}, Board: d.Questions,
		Name: "a2a-acp", Version: a.o.Version, Card: describeDaemon,
	})
	agents.Served = true
	if d.agents, err = a.Agents(agents); err != nil {
		return err
	}
	if d.server, err = a2a.New(a2a.Options{
		Log: d.log, Agent: agent, Agents: d.endpoints(), More: d.endpoint, Signer: signer, Caller: a.a2aCaller, Say: a.o.Say,
		Cancelled: d.cancelled,
		Streams:   serve.Streams, Logins: d.agents, Acts: d.acts, Follows: a.mayFollow,
		Told: func(by a2a.Caller, agent, what string) {
			a.note(events.Event{Type: events.AgentLogin, Principal: by.Name, Agent: agent, Detail: what})
		},
		Base: a.a2aBase, Deliverer: a.a2aDeliverer(), PushAllow: func() []netip.Prefix { return a.Set().Settings.Serve.Push },
		Retention: func() a2a.Retention { return a2a.Retention(a.Set().Settings.Serve.Tasks) },
	}); err != nil {
		return err
	}
	return d.server.Start(ctx)
}

// acts reports whether a principal may have something done, as the configuration says now.
func (d *a2aDoor) acts(principal string) bool {
	may, _ := d.app.mayCall(principal)
	return may
}

// cancelled has a question be over whose task was ended.
func (d *a2aDoor) cancelled(ctx context.Context, owner, question string) error {
	return d.Questions.Cancel(ctx, store.Cancelled{ID: question, Principal: owner, Why: "the task was ended"})
}

// endpoints returns the agents that have a place of their own: those that are configured.
func (d *a2aDoor) endpoints() map[string]a2a.Agent {
	all := map[string]a2a.Agent{}
	for _, agent := range d.agents.List() {
		all[agent.Name] = d.endpoint(agent.Name)
	}
	return all
}

// endpoint returns the agent of a name, which may have come since the daemon was started; nil for none.
func (d *a2aDoor) endpoint(name string) a2a.Agent {
	if !slices.ContainsFunc(d.agents.List(), func(a agentclient.Agent) bool { return a.Name == name }) {
		return nil
	}
	return a2a.NewACPAgent(a2a.ACPOptions{Agents: d.agents, Name: name, Version: d.app.o.Version, Card: describeDaemon,
		May: d.acts, Screen: answerScreen{d}})
}

// answerScreen has output governors look at what agents answer. It implements a2a.AnswerScreen.
type answerScreen struct{ door *a2aDoor }

// answerOf is what governors may name an agent's answers by, as by the id of a tool.
func answerOf(agent string) string { return "agent/" + agent }

// sessionOf names the agent's session, in which it is counted how often governors have sent it back.
func sessionOf(a a2a.AgentAnswer) string {
	return digest.Hex("a2a agent", a.Agent, a.Principal, a.Context, a.Session)
}

// Over implements a2a.AnswerScreen.
func (s answerScreen) Over(a a2a.AgentAnswer) { s.door.followUps.Forget(sessionOf(a)) }

// workspace returns the one that an agent works in.
func (s answerScreen) workspace(agent string) tool.Workspace {
	all := s.door.agents.List()
	if i := slices.IndexFunc(all, func(a agentclient.Agent) bool { return a.Name == agent }); i >= 0 {
		return s.door.app.o.Dirs().Workspace(all[i].Workspace, nil)
	}
	return tool.Workspace{}
}

// Screens implements a2a.AnswerScreen.
func (s answerScreen) Screens(agent string) bool {
	w := s.workspace(agent)
	return s.door.forCalls(w).Screener.Screens(w, answerOf(agent))
}

// Screen implements a2a.AnswerScreen. What cannot be put on record is not told.
func (s answerScreen) Screen(ctx context.Context, a a2a.AgentAnswer) a2a.ScreenedAnswer {
	w, session := s.workspace(a.Agent), sessionOf(a)
	screened := s.door.forCalls(w).Screener.Screen(ctx, permissions.Finished{
		Review: permissions.Review{Session: session, Task: a.Task, Agent: a.Agent, Caller: a.Principal, Door: tool.DoorA2A,
			Action: permissions.ActionOther, Tools: []string{answerOf(a.Agent)}, Title: "what " + a.Agent + " answers", Workspace: w,
			Decided: permissions.Decision{Verdict: permissions.Approve}},
		Result: tool.Result{Status: tool.StatusCompleted, Stdout: a.Text},
	})
	said := a2a.ScreenedAnswer{Text: a.Text, Withheld: screened.Withheld, Governor: screened.Governor, FollowUp: screened.FollowUp,
		Said: screened.Governance}
	if !screened.Silent {
		said.Text = screened.Stdout
	}
	if len(screened.Governance.Answers) > 0 {
		err := s.door.app.Record.Record(context.WithoutCancel(ctx), events.Event{Type: events.GovernorsAsked, Time: now(),
			Session: session, Task: a.Task, Context: a.Context, Agent: a.Agent, Door: string(tool.DoorA2A), Principal: a.Principal,
			Governance: &screened.Governance})
		if err != nil {
			said.Withheld, said.FollowUp = fmt.Sprintf("what governors said of it cannot be recorded: %v", err), ""
		}
	}
	return said
}

// firstLine says where the door and its agents are.
func (d *a2aDoor) firstLine(base string) map[string]any {
	line := map[string]any{"a2a": base}
	agents := map[string]string{}
	for _, agent := range d.agents.List() {
		agents[agent.Name] = base + "/agents/" + agent.Name
	}
	if len(agents) > 0 {
		line["agents"] = agents
	}
	return line
}

// shut ends what is under way, once, and closes the log.
func (d *a2aDoor) shut(ctx context.Context) (err error) {
	d.shutting.Do(func() {
		d.Questions.Leave()
		if d.server != nil {
			d.server.Close(ctx)
		}
		if d.agents != nil {
			d.agents.Close()
		}
		d.close()
		if d.log != nil {
			err = d.log.Close()
		}
	})
	return err
}

// a2aCaller says who makes a request.
func (a *App) a2aCaller(r *http.Request) a2a.Caller {
	p := serve.PrincipalOf(r.Context())
	if p == nil {
		return a2a.Caller{}
	}
	return a2a.Caller{Name: p.Name, Admin: p.May(serve.ScopeAdmin), NoTools: !p.May(serve.ScopeTools), Workspace: p.Workspace,
		Token: shownBy(p), Claims: a.claims.of(p), Trace: traceBy(r)}
}

// a2aDeliverer is what delivers push notifications; nil if this process delivers nothing.
func (a *App) a2aDeliverer() a2a.Deliverer {
	if !a.mayDeliver() {
		return nil
	}
	return pushDeliverer{a}
}

// pushDeliverer is the App's deliverer, which has the webhooks of the configuration, too.
type pushDeliverer struct{ app *App }

// Set implements a2a.Deliverer.
func (d pushDeliverer) Set(source string, list []webhook.Subscription) {
	d.app.webhooks.mu.Lock()
	defer d.app.webhooks.mu.Unlock()
	d.app.deliverOf(source, list)
}

// Forget implements a2a.Deliverer.
func (d pushDeliverer) Forget(source string, over func(ctx context.Context, id string) (bool, error)) {
	d.app.webhooks.mu.Lock()
	defer d.app.webhooks.mu.Unlock()
	if deliverer := d.app.webhooks.deliverer; deliverer != nil {
		deliverer.Forget(source, over)
	}
}

// Counts implements a2a.Deliverer.
func (d pushDeliverer) Counts(source string) webhook.Counts {
	d.app.webhooks.mu.Lock()
	defer d.app.webhooks.mu.Unlock()
	if deliverer := d.app.webhooks.deliverer; deliverer != nil {
		return deliverer.Counts(source)
	}
	return webhook.Counts{}
}

// a2aBase is the URL by which the client of a request reaches the daemon.
func (a *App) a2aBase(r *http.Request) string {
	if u := a.Set().Settings.Serve.URL; u != "" {
		return u
	}
	return a2a.BaseOf(r)
}

// describeDaemon says in a card how callers show who they are.
func describeDaemon(card *wire.AgentCard) {
	card.SecuritySchemes = wire.NamedSecuritySchemes{
		"bearer": wire.HTTPAuthSecurityScheme{Scheme: "Bearer", Description: "The token of a principal of the daemon."},
		"apiKey": wire.APIKeySecurityScheme{Name: "X-API-Key", Location: "header", Description: "The same, as an API key."},
	}
	scopes := wire.SecuritySchemeScopes{string(serve.ScopeTasks)}
	card.SecurityRequirements = wire.SecurityRequirementsOptions{{"bearer": scopes}, {"apiKey": scopes}}
}

// cardSigner returns the signer of cards. Its key is made when there is none.
func (a *App) cardSigner() (*a2a.Signer, error) {
	file := filepath.Join(a.state, cardKeyName)
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		if text, err = a2a.NewKey(); err == nil {
			err = writeNew(file, text)
		}
	}
	if err != nil {
		return nil, err
	}
	signer, err := a2a.NewSigner(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return signer, nil
}

// writeNew writes a file that does not exist, and that only we read.
func writeNew(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// a2aTools are the tools as A2A clients have them. It implements a2a.Tools.
type a2aTools struct {
	door *Door

	mu       sync.Mutex
	admitted map[string]error // whether calls may be made in a directory
}

// place returns where a caller's calls are made; no directory if ours cannot be a workspace. Before the first call
// there, what its own files forbid is read.
func (t *a2aTools) place(from a2a.Caller) (w tool.Workspace, dir string, err error) {
	dir = cmp.Or(from.Workspace, t.door.app.o.Dir)
	if w = t.door.app.o.Dirs().Workspace(dir, nil); w.Root == "" {
		return tool.Workspace{}, "", nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	err, known := t.admitted[w.Root]
	if !known {
		err = t.door.app.admitAt(w, w.Root)
		t.admitted[w.Root] = err
	}
	return w, w.Root, err
}

// List implements a2a.Tools.
func (t *a2aTools) List(from a2a.Caller) []*tool.Tool {
	w, _, err := t.place(from)
	may, globs := t.door.app.mayCall(from.Name)
	if from.NoTools || !may || err != nil {
		return nil
	}
	var list []*tool.Tool
	for _, entry := range t.door.app.Refreshed(w).Exposed(w, from.Claims) {
		if isOneOf(globs, entry.Tool.ID) {
			list = append(list, entry.Tool)
		}
	}
	return list
}

// Sandbox implements a2a.Tools.
func (t *a2aTools) Sandbox() string {
	host, err := t.door.app.host.wait()
	if err != nil {
		return "none"
	}
	return string(host.Level())
}

// Call implements a2a.Tools.
func (t *a2aTools) Call(ctx context.Context, call a2a.ToolCall, asker a2a.ToolCaller) tool.Result {
	w, dir, err := t.place(call.Caller)
	offered := slices.ContainsFunc(t.List(call.Caller), func(o *tool.Tool) bool { return o.ID == call.Tool })
	if err != nil || !offered {
		why := tool.Failf(tool.FailNotFound, "there is no tool %q any more", call.Tool)
		if err != nil {
			why = tool.Failf(tool.FailDenied, "no tool runs in the workspace: %v", err)
		}
		return a2a.NoResult(call, why)
	}
	return t.door.Executor.Execute(ctx, tool.Call{
		Tool: call.Tool, Arguments: call.Arguments, Workspace: w, Dir: dirOr(dir),
		Origin: tool.Origin{Door: tool.DoorA2A, Principal: call.Caller.Name, Served: true, Task: call.Task,
			Context: call.Context, Session: digest.Hex("a2a context", call.Caller.Name, call.Context), ToolCall: call.ID,
			Token: call.Caller.Token, Claims: call.Caller.Claims, Trace: call.Caller.Trace},
	}, a2aAsker{asker, t.door.app, call.Caller.Name})
}

var _ executor.Watcher = a2aAsker{}

// a2aAsker is who makes a call. It implements executor.Caller, executor.Listener and executor.Watcher.
type a2aAsker struct {
	a2a.ToolCaller
	app       *App
	principal string
}

// Ask implements approval.Asker.
func (a a2aAsker) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	q.AtTerminal = q.AtTerminal || !a.app.clientsAnswer(a.principal)
	return a.ToolCaller.Ask(ctx, q)
}

// Output implements executor.Listener.
func (a a2aAsker) Output(stream executor.Stream, p []byte) {
	a.ToolCaller.Output(stream == executor.Stderr, p)
}
