package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// AgentsOptions is what agents that are driven without an editor take from outside.
type AgentsOptions struct {
	Environ []string                             // required: what agents get of our environment
	Find    func(agents.Agent) ([]string, error) // required: finds the command of an agent that the program knows
	Stderr  *lines.Writer                        // required: what agents say on theirs
	Served  bool                                 // principals are names of the daemon's
}

// Agents returns the agents that are configured, to be driven. Stop ends them. It is an error where the
// environment names an agent that it must not name.
func (a *App) Agents(o AgentsOptions) (*agentclient.Driver, error) {
	if _, _, err := fromEnvironment(a.o); err != nil {
		return nil, err
	}
	d := &agentDriver{app: a, o: o}
	driver, err := agentclient.New(agentclient.Options{
		Configured: d.configured, Store: &agentSessions{app: a}, Elsewhere: d.elsewhere, Await: d.await,
		Version: a.o.Version,
	})
	if err != nil {
		return nil, err
	}
	if err := a.enterDriver(driver); err != nil {
		return nil, err
	}
	return driver, nil
}

// agentDriver starts agents for a Driver.
type agentDriver struct {
	app *App
	o   AgentsOptions
}

// configured lists the agents as the files say now, and the one of the environment.
func (d *agentDriver) configured() []agentclient.Configured {
	all := slices.Clone(d.app.Set().Settings.Agents)
	if agent, ok, err := fromEnvironment(d.app.o); ok && err == nil &&
		!slices.ContainsFunc(all, func(other config.Agent) bool { return other.Name == agent.Name }) {
		all = append(all, agent)
	}
	var list []agentclient.Configured
	for _, agent := range all {
		list = append(list, d.configure(agent))
	}
	return list
}

func (d *agentDriver) configure(c config.Agent) agentclient.Configured {
	c.Workspace = cmp.Or(c.Workspace, d.app.o.Dir)
	if real, err := filepath.EvalSymlinks(c.Workspace); err == nil {
		c.Workspace = real
	}
	command := c.Command
	known, isKnown := agents.ByName(c.Known)
	if !isKnown {
		known, _ = agents.ByCommand(command)
	}
	if command == nil {
		command = append([]string{known.Program}, known.Args...)
	}
	if c.Confine.Profile == config.OwnProfile {
		c.Confine.Profile = known.Name
	}
	return agentclient.Configured{
		Agent: agentclient.Agent{Name: c.Name, Title: cmp.Or(c.Title, known.Title, c.Name), Description: c.Description,
			Program: command[0], Workspace: c.Workspace, Confined: c.Confine.Profile},
		Revision: digest.Hex(fmt.Sprintf("%#v", c)), Command: command, Protocol: c.Protocol, Login: c.Login,
		IdleTimeout: c.IdleTimeout, MaxRunning: c.MaxRunning, EmptyWhereMissing: known.EmptyWhereMissing,
		Start: func(ctx context.Context, s agentclient.Starting) (agentclient.Process, error) {
			return d.start(ctx, c, s)
		},
	}
}

// elsewhere answers a question that no agent of this process waits for.
func (d *agentDriver) elsewhere(ctx context.Context, id string, a agentclient.Answer) error {
	inbox, err := approval.OpenInbox(ctx, d.app.state, d.app.Record, now)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return agentclient.ErrNoQuestion
	case err != nil:
		return err
	}
	question, err := inbox.Get(ctx, id)
	if err == nil && d.o.Served && question.Principal != a.Principal {
		err = store.ErrNoApproval
	}
	if err == nil && (question.AtTerminal || !d.app.clientsAnswer(a.Principal)) {
		err = agentclient.ErrAtTerminal
	}
	if err == nil {
		_, err = inbox.Answer(ctx, question, store.Answer{Approved: a.Option.Kind.Allows(), Approver: a.By, Reason: a.Reason})
	}
	err = errors.Join(err, inbox.Close())
	switch {
	case errors.Is(err, store.ErrNoApproval), errors.Is(err, store.ErrGone), errors.Is(err, store.ErrWithdrawn):
		return agentclient.ErrNoQuestion
	case errors.Is(err, store.ErrAnswered), errors.Is(err, store.ErrUsed):
		return agentclient.ErrAnswered
	case errors.Is(err, store.ErrExpired):
		return agentclient.ErrExpired
	}
	return err
}

// awaitEvery is how often a question is looked at that an earlier process has left.
const awaitEvery = time.Second

// await waits for the answer to a question that no agent of this process waits for.
func (d *agentDriver) await(ctx context.Context, id, principal string) error {
	opened, err := d.app.board.Store(ctx)
	if err != nil {
		return err
	}
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	for {
		question, err := opened.Get(ctx, id)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, store.ErrNoApproval), err == nil && d.o.Served && question.Principal != principal:
			return agentclient.ErrNoQuestion
		case err != nil:
			return err
		}
		switch question.State {
		case store.Approved, store.Denied:
			return nil
		case store.Expired:
			return agentclient.ErrExpired
		case store.Pending:
		default:
			return agentclient.ErrNoQuestion
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// agentSessions keeps the sessions of conversations in the store. It implements agentclient.Store.
type agentSessions struct{ app *App }

// with opens the store for one use: there is one at the start and the end of a process, and no more.
func (s *agentSessions) with(ctx context.Context, use func(*store.Store) error) error {
	if s.app.state == "" { // nothing can be kept, and each conversation begins anew
		return nil
	}
	opened, err := store.Open(ctx, store.Options{Path: filepath.Join(s.app.state, store.Name)})
	if err != nil {
		return err
	}
	return errors.Join(use(opened), opened.Close())
}

// Session implements agentclient.Store.
func (s *agentSessions) Session(ctx context.Context, c agentclient.Conversation) (k agentclient.Kept, err error) {
	err = s.with(ctx, func(opened *store.Store) error {
		kept, err := opened.AgentSession(ctx, c.Agent, c.Principal, c.Context)
		k = agentclient.Kept{Session: kept.Session, Workspace: kept.Workspace}
		return err
	})
	return k, err
}

// Keep implements agentclient.Store.
func (s *agentSessions) Keep(ctx context.Context, c agentclient.Conversation, k agentclient.Kept) error {
	return s.with(ctx, func(opened *store.Store) error {
		return opened.KeepAgentSession(ctx, store.AgentSession{Agent: c.Agent, Principal: c.Principal, Context: c.Context,
			Session: k.Session, Workspace: k.Workspace})
	})
}

// Forget implements agentclient.Store.
func (s *agentSessions) Forget(ctx context.Context, c agentclient.Conversation) error {
	return s.with(ctx, func(opened *store.Store) error {
		return opened.ForgetAgentSession(ctx, c.Agent, c.Principal, c.Context)
	})
}

// agentVariables are what the environment says of the one agent that it can name.
const (
	agentCommandVariable     = "A2A_AGENT_COMMAND"
	agentDescriptionVariable = "A2A_AGENT_DESCRIPTION"
	agentKeyVariable         = "A2A_AGENT_API_KEY"
)

// agentOfEnvironment is the name of the agent that the environment names.
const agentOfEnvironment = "default"

// fromEnvironment returns the agent that A2A_AGENT_COMMAND names; ok is false where it names none.
//
// A repository can set variables (direnv does), so it is one that the program knows, and lies nowhere where
// whoever wrote the repository could have put it. Any other has its place in a settings file.
func fromEnvironment(o Options) (agent config.Agent, ok bool, err error) {
	words := strings.Fields(o.Getenv(agentCommandVariable))
	if len(words) == 0 {
		return agent, false, nil
	}
	agent = config.DefaultAgent(agentOfEnvironment)
	agent.Command, agent.At = words, agentCommandVariable
	agent.Description = o.Getenv(agentDescriptionVariable)
	known, isKnown := agents.ByCommand(words[:1])
	if why := mayNotName(words, isKnown, o); why != "" {
		return agent, true, fmt.Errorf("%s: %s; write the agent into a2a-acp.yaml (agents: {%s: {command: [%s]}})",
			agentCommandVariable, why, agentOfEnvironment, strings.Join(words, ", "))
	}
	switch key := o.Getenv(agentKeyVariable); {
	case key != "" && known.Key == "":
		return agent, true, fmt.Errorf("%s: it is not known which variable %s takes a key from; "+
			"write the agent into a2a-acp.yaml, with environment: {NAME: {secret: …}}", agentKeyVariable, words[0])
	case key != "":
		agent.Environment = map[string]string{known.Key: key}
	}
	return agent, true, nil
}

// mayNotName says why the environment must not name a command; "" where it may.
func mayNotName(words []string, known bool, o Options) string {
	switch program := words[0]; {
	case !filepath.IsAbs(program) && strings.Contains(program, "/"):
		return "it names a file of whatever directory the program starts in"
	case !known:
		return program + " is no agent that a2a-acp knows, and whoever wrote a repository can set variables"
	}
	w := o.Dirs().Workspace(o.Dir, nil)
	for _, word := range words {
		if filepath.IsAbs(word) && (w.Contains(word) || config.BroughtWith(word, o.Dir, o.Home) != "") {
			return word + " lies with the files that are worked on"
		}
	}
	return ""
}
