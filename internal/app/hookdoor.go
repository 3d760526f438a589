package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/hook"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/internal/unasked"
	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// hookDoor has an agent ask us before each tool of its own: its hooks come back to us over a socket, of each
// session's or of all of them, as the agent lets us tell it. Nothing is written to the person's files.
type hookDoor struct {
	app      *App
	self     string
	agent    hook.Agent
	known    agents.Agent
	boundary *confine.Boundary // the sandbox that the agent is in; nil for none
	given    []string          // the agent's environment, without what has it come here
	environ  []string          // the agent's
	words    []string          // behind its command
	at       hook.Endpoint     // of the door that all sessions share
	shared   *hook.Door        // of all sessions; nil where each has its own
	must     bool              // a session without hooks is refused
	tooOld   func()            // is called once where the agent says that it is of a version before its hooks
	once     sync.Once

	// Of an agent in its own terminal; nil elsewhere.
	again func(hook.Call) hook.Answer
	begun func()

	ending chan struct{} // closed when the agent is to end, or has
	end    func()

	mu       sync.Mutex
	sessions []*acp.Session // that are open, each as often as it was opened
}

// openHooks makes the door ready before the agent starts, with the environment that has it come here. Close
// it. It is nil where the person's own environment leaves no room for that, and hooks are no must.
func (a *App) openHooks(agent agents.Agent, b *bridge, o BridgeOptions) (d *hookDoor, err error) {
	asking, _ := hook.ByName(agent.Name)
	d = &hookDoor{app: a, self: b.self, agent: asking, known: agent, boundary: b.boundary, given: o.AgentEnv,
		must: o.Hooks == HooksOn}
	d.ends()
	if err := d.check(b.dir); err != nil { // the agent may read settings where it starts, before any session
		return nil, fmt.Errorf("the agent is not started: %w", err)
	}
	at := hook.Endpoint{Self: b.self}
	if asking.Variable != "" || asking.Rules != nil {
		if d.shared, err = d.listen(d.sessionOf); err != nil {
			return nil, err
		}
		at.Socket, at.Shared = d.shared.Socket(), b.boundary != nil
	}
	d.at = at
	d.environ, err = asking.Environ(o.AgentEnv, at)
	if err == nil && asking.Rules != nil {
		d.words, err = asking.Rules(o.AgentEnv, at)
	}
	if err != nil {
		d.close()
		if d.must {
			return nil, err
		}
		a.o.Say(fmt.Sprintf("%s does not ask before each act of its own: %v", agent.Title, err))
		return nil, nil
	}
	return d, nil
}

// check refuses a directory where a repository has the agent do what nobody is asked about, and nobody has read that.
func (d *hookDoor) check(dir string) error {
	found, err := unasked.Find(d.known.Name, dir, d.given)
	if err != nil {
		return err
	}
	for _, f := range found {
		counts, err := trust.Counts(d.app.o.Trust(), f.Dir, f.Files)
		if counts {
			continue
		}
		cures := []string{"move it to your own settings"}
		if f.Instead != "" {
			cures = append(cures, f.Instead)
		}
		if len(f.Files) > 0 {
			cures = append([]string{"read it and let it count: a2a-acp trust " + display.ShellWord(f.Dir)}, cures...)
		}
		why := fmt.Errorf("%s, which %s would go by without asking anybody; %s", display.Line(f.What), d.known.Title,
			strings.Join(cures, ", or "))
		return errors.Join(why, err)
	}
	return nil
}

// checkAll checks each directory that a session works in: Claude and Codex take skills, and Claude agents below, of all.
func (d *hookDoor) checkAll(s *acp.Session) error {
	for _, dir := range s.Dirs() {
		if err := d.check(dir); err != nil {
			return err
		}
	}
	return nil
}

func (d *hookDoor) close() {
	if d.shared != nil {
		d.closeDoor(d.shared)
	}
}

func (d *hookDoor) closeDoor(door *hook.Door) {
	if err := door.Close(); err != nil {
		d.app.o.Say(err.Error())
	}
}

// listen opens a door for the sessions that a call may be of.
func (d *hookDoor) listen(session func(hook.Call) *acp.Session) (*hook.Door, error) {
	o := hook.DoorOptions{
		Options: unixsocket.Options{RuntimeDir: d.app.o.Getenv("XDG_RUNTIME_DIR")},
		Agent:   d.agent,
		Decide: func(ctx context.Context, call hook.Call) hook.Answer {
			s := session(call)
			if s == nil {
				return hook.Answer{Reason: "a2a-acp did not allow it: it is of no session that is open here"}
			}
			asking, over := d.whileAsked(ctx)
			defer over()
			return d.decideOwn(asking, s, call, ctx.Done())
		},
		Ended: func(call hook.Call) {
			if s := session(call); s != nil {
				s.Ended(acp.OwnEnd{ToolCall: call.ID, Tool: call.Tool, Kind: call.Kind, Title: call.Title, Input: call.Input,
					Failed: call.Failed, Exit: call.Exit, Error: call.Error})
			}
		},
		Again: d.again, Begun: d.begun,
		Say: d.app.o.Say,
	}
	if d.boundary != nil {
		o.Options = unixsocket.Options{RuntimeDir: d.boundary.Sockets(), TempDir: d.boundary.Sockets(),
			User: d.boundary.User()}
	}
	return hook.Listen(o)
}

// ends makes the door ready to hear of the agent's end.
func (d *hookDoor) ends() {
	d.ending = make(chan struct{})
	d.end = sync.OnceFunc(func() { close(d.ending) })
}

// hooksEnd is how long it may take to hear of an agent's end, which takes its hooks along.
const hooksEnd = time.Second

// whileAsked returns a context that ends with that of a hook's connection. Where the hook is gone since the agent
// ends, nobody has taken its question back, and it stays.
func (d *hookDoor) whileAsked(hooks context.Context) (ctx context.Context, over func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(hooks))
	var watching sync.WaitGroup
	watching.Go(func() { // ends with over
		select {
		case <-ctx.Done():
			return
		case <-hooks.Done():
		}
		timer := time.NewTimer(hooksEnd)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-d.ending:
			cancel(approval.AskerGone("the agent has ended"))
		case <-timer.C:
			cancel(context.Cause(hooks))
		}
	})
	return ctx, func() {
		cancel(nil)
		watching.Wait()
	}
}

// sessionOf finds the open session that a call is in; nil for none.
func (d *hookDoor) sessionOf(call hook.Call) *acp.Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range call.Sessions {
		for _, s := range d.sessions {
			if s.Is(id) {
				return s
			}
		}
	}
	return nil
}

// Open implements acp.HookDoor.
func (d *hookDoor) Open(s *acp.Session) (*acp.Hooks, error) {
	old := d.known.WithoutHooks(s.AgentVersion())
	switch {
	case old != "" && d.must:
		return nil, errors.New(old)
	case old != "":
		d.once.Do(func() {
			d.app.o.Say(old)
			d.tooOld()
		})
		if d.shared == nil {
			return nil, nil
		}
		return &acp.Hooks{NoTool: d.noTool, Lax: true, Close: d.admit(s)}, nil // it may ask all the same
	}
	if err := d.checkAll(s); err != nil {
		return nil, err
	}
	if d.agent.Rules != nil { // it asks as any agent does
		return nil, nil
	}
	if d.shared == nil {
		door, err := d.listen(func(hook.Call) *acp.Session { return s })
		if err != nil {
			return nil, err
		}
		return &acp.Hooks{Meta: d.agent.Meta(d.self, door.Socket()), NoTool: d.noTool,
			Close: func() { d.closeDoor(door) }}, nil
	}
	var proof *acp.Proof
	if d.agent.Proof != nil {
		proof = &acp.Proof{}
		proof.Method, proof.Params, proof.Holds = d.agent.Proof(s.Dir(), d.at)
	}
	return &acp.Hooks{NoTool: d.noTool, Proof: proof, Close: d.admit(s)}, nil
}

// noTool reports whether a card of the agent's is that of no tool that was started.
func (d *hookDoor) noTool(c acp.Card) bool { return d.agent.NoTool(hook.Card(c)) }

// admit lets the hooks of a session in at the door that all share, until it is closed.
func (d *hookDoor) admit(s *acp.Session) (closed func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessions = append(d.sessions, s)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if at := slices.Index(d.sessions, s); at >= 0 {
			d.sessions = slices.Delete(d.sessions, at, at+1)
		}
	}
}

// decideOwn decides about a call of an agent's own tool.
func (d *hookDoor) decideOwn(ctx context.Context, s *acp.Session, call hook.Call,
	gone <-chan struct{}) hook.Answer {
	own := acp.OwnAct{Gone: gone, ToolCall: call.ID, Tool: call.Tool, Kind: call.Kind, Title: call.Title, Input: call.Input,
		Dir: call.Dir, Locations: call.Locations, Note: call.Note, Harmless: call.Harmless || call.TheirOwn,
		Final: call.Final, CardEnds: call.CardEnds, ServerTools: call.ServerTools, ChangesAreAll: call.ChangesAreAll}
	for _, change := range call.Changes {
		own.Changes = append(own.Changes, approval.FileChange{Path: change.Path, NewText: change.NewText,
			OldText: change.OldText})
	}
	if input, command := call.WithCommand(func(string) string { return "" }); command && input != nil && d.boundary == nil {
		own.Within = func(profile string) json.RawMessage { return d.within(profile, s.Dir(), call) }
	}
	if d.agent.Rereads {
		if err := d.checkAll(s); err != nil { // it may have come with a branch, or with what a command wrote
			own.Refused = err.Error()
			d.app.o.Say(err.Error())
		}
	}
	for _, dir := range s.Dirs() {
		if own.Refused == "" {
			own.Refused = d.told(dir, call)
		}
	}
	decision := s.Decide(ctx, own)
	var input json.RawMessage
	if profile := decision.Obligation.Profile; profile != "" && decision.Verdict == permissions.Approve {
		input = own.Within(profile)
	}
	switch {
	case decision.Verdict != permissions.Approve:
		return hook.Answer{Verdict: hook.Deny, Reason: s.Why(decision)}
	case call.TheirOwn, call.Planning && !own.Harmless && !slices.Contains([]string{"read", "search"}, call.Kind):
		return hook.Answer{Verdict: hook.Undecided, Input: input} // whatever the agent asks then is known to be decided
	}
	if own.Harmless || decision.Source == permissions.SourceTool {
		return hook.Answer{Verdict: hook.Allow, Reason: s.Why(decision)}
	}
	return hook.Answer{Verdict: hook.Confirm, Reason: s.Why(decision), Input: input}
}

// told says what the agent would tell its model with the files of a call and is not the repository's own; "" for nothing.
// Claude looks for the files of a command, too: each word may be one, or a directory.
func (d *hookDoor) told(dir string, call hook.Call) (why string) {
	words := []string{call.File}
	if call.Kind == "execute" {
		words = strings.FieldsFunc(strings.ReplaceAll(call.Title, `\`, ""), func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\"'`;|&<>()=", r)
		})
	}
	looked := map[string]bool{} // in these directories: most words are no names of files, and those of their parent
	for _, word := range words {
		file := word
		switch {
		case word == "":
			continue
		case !filepath.IsAbs(word):
			file = filepath.Join(call.Dir, word)
		}
		if _, err := os.Lstat(file); err == nil && call.Kind == "execute" {
			file = filepath.Join(file, "file")
		}
		in := filepath.Dir(file)
		if looked[in] {
			continue
		}
		looked[in] = true
		for _, f := range unasked.Told(d.known.Name, file, dir) {
			return fmt.Sprintf("%s, which %s would tell its model with it; %s", display.Line(f.What), d.known.Title, f.Instead)
		}
	}
	return ""
}

// within returns the input of a command with which it runs in the sandbox, under a profile: it can write to the
// session's directory, as the agent's tool does. Where this machine cannot hold it, it does not run.
func (d *hookDoor) within(profile, dir string, call hook.Call) json.RawMessage {
	input, _ := call.WithCommand(func(command string) string {
		return permissions.QuoteArgv([]string{d.self, "sandbox", "exec", "--profile", profile, "--require", "fs,tree",
			"--allow", dir, "--", "bash", "-c", command})
	})
	return input
}

// HookUse says whether an agent's own hooks are to ask us before each act of the agent's own.
type HookUse int

// The uses.
const (
	HooksAuto HookUse = iota // where the agent has them; else that is said, and it goes on without
	HooksOn                  // where it has none there is no bridge
	HooksOff
)

// hooksOf returns the agent of a bridge, and whether its hooks are to ask us.
func (a *App) hooksOf(o BridgeOptions) (agent agents.Agent, hooked bool, err error) {
	if o.Hooks == HooksOff {
		return agent, false, nil
	}
	if why := agents.WithoutHooks(o.Command); why != "" {
		if o.Hooks == HooksOn {
			return agent, false, fmt.Errorf("--hooks=on: %s", why)
		}
		a.o.Say(why + ": what it does without asking is seen at most")
		return agent, false, nil
	}
	agent, hooked = agents.ByCommand(o.Command)
	return agent, hooked, nil
}
