package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// MCPOptions say what MCP clients are offered, and where.
type MCPOptions struct {
	Workspace string   // the directory that calls are made in, absolute; "" for the client's own, or ours
	Expose    []string // tools that came with the program and are offered all the same
	Only      []string // globs of the tools, resources and prompts that are offered; nil offers all
	Prefix    string   // of the names of tools
}

// MCP serves one MCP client on two streams until the client ends (then the error is nil), the App does, or
// ctx. Both streams are closed then.
func (a *App) MCP(ctx context.Context, o MCPOptions, in io.ReadCloser, out io.WriteCloser) error {
	door, err := a.openDoor()
	if err != nil {
		return err
	}
	defer door.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.ending, func() { cancel(ErrStopped) })()
	d, err := a.newMCPDoor(door, o)
	if err != nil {
		return err
	}
	d.offer(d.server)
	defer d.withdraw(d.server)
	defer d.server.CloseTasks()
	return d.server.ServeStdio(ctx, mcpserver.StdioOptions{In: in, Out: out})
}

// mcpDoor is the tools as MCP clients have them. It implements mcpserver.Tools, for all clients of one front.
type mcpDoor struct {
	*Door
	o       MCPOptions
	server  *mcpserver.Server
	unasked time.Duration // see unaskedTime
	// visitors are the daemon's principals; nil where there are none.
	visitors *mcpVisitors
	outputs  mcpOutputs

	mu       sync.Mutex
	admitted map[string]error     // whether calls may be made in a directory
	lists    map[string]mcpListed // what clients are offered, by whom and where
}

// mcpListed is a list of tools of one configuration.
type mcpListed struct {
	of        *Configuration
	principal *serve.Principal
	claims    tool.Claims
	catalogue *mcpserver.Catalogue
	entries   map[string]*executor.Entry // by their names
	all       []mcpserver.Tool           // what find_tool looks through; nil where there is none
}

func (a *App) newMCPDoor(door *Door, o MCPOptions) (*mcpDoor, error) {
	d := &mcpDoor{Door: door, o: o, unasked: unaskedTime,
		admitted: map[string]error{}, lists: map[string]mcpListed{}}
	server, err := mcpserver.New(mcpserver.Options{Tools: d, Resources: mcpResources{d}, Prompts: mcpPrompts{d},
		Version: a.o.Version, Say: a.o.Say, Now: now, Key: a.mcpKey,
		Tasks: mcpTasks{a.board}, Answered: d.answered, Cancelled: d.cancelled})
	d.server = server
	return d, err
}

// mcpKeyName is the file in the state directory with the key that signs what clients carry between the rounds
// of a call, so that a call outlives the program.
const mcpKeyName = "mcp.key"

func (a *App) mcpKey() ([]byte, error) {
	_, key, err := a.keptSecret(mcpKeyName)
	return []byte(key), err
}

// mcpPlace is where a client's calls are made.
type mcpPlace struct {
	workspace tool.Workspace
	dir       string // "" for none
}

// noPlace is said of a call that failed without a place: it began in an empty /tmp, and nothing else tells.
const noPlace = "the call had no workspace: the client names none, and the directory that its server was started in can be " +
	"none; start that with a2a-acp mcp --workspace DIR (a2a-acp editor enable NAME --workspace=DIR writes it)"

// placeIn returns the place of a directory. Before the first call there, what its own files forbid is read.
func (d *mcpDoor) placeIn(dir string) (mcpPlace, error) {
	p := mcpPlace{workspace: d.app.o.Dirs().Workspace(dir, nil)}
	if p.workspace.Root == "" {
		return mcpPlace{}, nil
	}
	p.dir = p.workspace.Root
	d.mu.Lock()
	defer d.mu.Unlock()
	err, known := d.admitted[dir]
	if !known {
		err = d.app.admitAt(p.workspace, p.dir)
		d.admitted[dir] = err
	}
	return p, err
}

// place returns where a client's calls are made: the directory that was named, else the client's only root,
// else our own, if it can be a workspace.
func (d *mcpDoor) place(ctx context.Context, client *mcpserver.Client) (mcpPlace, error) {
	if p := d.visitors.of(client.Principal); p != nil {
		return d.placeIn(cmp.Or(p.MCP.Workspace, p.Workspace, d.app.o.Dir))
	}
	if d.o.Workspace != "" {
		return d.placeIn(d.o.Workspace)
	}
	if roots := client.Roots(ctx); len(roots) == 1 {
		if p, err := d.placeIn(roots[0]); p.dir != "" || err != nil {
			return p, err
		}
	}
	return d.placeIn(d.app.o.Dir)
}

// listed returns what a client is offered at a place, by the claims of the request.
func (d *mcpDoor) listed(ctx context.Context, client *mcpserver.Client, p mcpPlace) mcpListed {
	c := d.app.Refreshed(p.workspace)
	key := client.Principal + "\x00" + p.dir
	principal, claims := d.visitors.of(client.Principal), claimsIn(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if l, ok := d.lists[key]; ok && l.of == c && l.principal == principal && l.claims == claims {
		return l
	}
	l := mcpListed{of: c, principal: principal, claims: claims, entries: map[string]*executor.Entry{}}
	var tools []mcpserver.Tool
	for _, entry := range c.Tools.ListIn(p.workspace) {
		if !d.offers(c, client, claims, entry.Tool) {
			continue
		}
		shown := d.app.shown(entry.Tool)
		shown.Name = mcpserver.ToolName(d.o.Prefix + entry.Tool.ID)
		l.entries[shown.Name] = entry
		tools = append(tools, shown)
	}
	l.catalogue = mcpserver.NewCatalogue(tools)
	if c.Set.Settings.Search && d.o.Only == nil { // who names a few tools means those
		l.all = l.catalogue.Tools
		l.catalogue = mcpserver.NewCatalogue(SearchTools(d.o.Prefix, len(tools)))
	}
	if len(d.lists) >= mostLists {
		clear(d.lists)
	}
	d.lists[key] = l
	return l
}

// mostLists is how many lists are kept ready.
const mostLists = 256

// offers reports whether a client is offered a tool.
func (d *mcpDoor) offers(c *Configuration, client *mcpserver.Client, claims tool.Claims, t *tool.Tool) bool {
	if d.visitors != nil {
		if p := d.visitors.of(client.Principal); p == nil || !mayUse(p, t.ID) {
			return false
		}
	}
	if !isOneOf(d.o.Only, t.ID) {
		return false
	}
	settings := c.Set.Settings
	settings.Expose = slices.Concat(settings.Expose, d.o.Expose)
	return IsExposed(t, settings, claims)
}

// List implements mcpserver.Tools.
func (d *mcpDoor) List(ctx context.Context, client *mcpserver.Client) (*mcpserver.Catalogue, error) {
	p, err := d.place(ctx, client)
	if err != nil {
		return nil, &mcpserver.ProtocolError{Code: notHere, Message: err.Error()}
	}
	return d.listed(ctx, client, p).catalogue, nil
}

// notHere is the code of an error of ours: nothing is done in that directory.
const notHere = 1

// mcpState is what a client carries from one round of a call to the next.
type mcpState struct {
	Dir      string `json:"d,omitempty"` // its root, where it was asked for
	Asked    bool   `json:"r,omitempty"` // it was asked for its roots
	Question string `json:"q,omitempty"` // the question that it was asked
	Call     string `json:"c,omitempty"` // ours, that asked it
	// AskedValues is set if it was asked for values that the model left out; Values are what it gave.
	AskedValues bool                       `json:"a,omitempty"`
	Values      map[string]json.RawMessage `json:"v,omitempty"`
}

// The keys of what clients are asked for.
const (
	answerKey = "approval"
	rootsKey  = "roots"
)

// Call implements mcpserver.Tools.
func (d *mcpDoor) Call(ctx context.Context, call mcpserver.Call) (mcpserver.CallResult, error) {
	var state mcpState
	if call.State != "" && json.Unmarshal([]byte(call.State), &state) != nil {
		return mcpserver.CallResult{}, errors.New("a state that was signed here cannot be read")
	}
	p, input, err := d.placeOf(ctx, call, &state)
	switch {
	case err != nil:
		return forModel(err), nil //nolint:nilerr // the model is told
	case input != nil:
		return mcpserver.CallResult{Input: input}, nil
	}
	listed := d.listed(ctx, call.Client, p)
	if listed.all != nil {
		meant, told, err := searched(d.o.Prefix, listed.all, call)
		switch {
		case err != nil:
			return mcpserver.CallResult{}, err
		case told != nil:
			return *told, nil
		}
		call = meant
	}
	entry := listed.entries[call.Name]
	if entry == nil {
		return mcpserver.CallResult{}, mcpserver.ErrUnknownTool
	}
	ctx, over := d.visitors.run(ctx, call.Client.Principal, entry.Tool.ID)
	defer over()
	arguments, input, err := askForValues(entry.Tool, call, &state)
	switch {
	case err != nil:
		return forModel(err), nil //nolint:nilerr // the model is told
	case input != nil:
		return mcpserver.CallResult{Input: input}, nil
	}
	call.Arguments = arguments
	caller := &mcpCaller{door: d, call: call, state: state, place: p, secret: len(entry.Tool.SecretParameters()) > 0}
	if err := caller.bring(ctx); err != nil {
		return forModel(err), nil //nolint:nilerr // the model is told
	}
	begun := Begun{Tool: entry.Tool.ID, Arguments: call.Arguments, Hint: call.ToolCall,
		Trace: cmp.Or(call.Trace, traceIn(ctx))} // what the message says is nearer than what its way says
	if call.Listens {
		output := &mcpOutput{call: call, tool: call.Name}
		defer output.end()
		begun.Listener = output
	}
	result := d.call(ctx, caller, begun,
		func(text string) { call.Progress(mcpserver.Progress{Text: text}) })
	if result.Status == tool.StatusCancelled && errors.Is(context.Cause(ctx), mcpserver.ErrUnknownTool) {
		return mcpserver.CallResult{}, mcpserver.ErrUnknownTool // as for every call from now on
	}
	if input := caller.needs(); input != nil {
		return mcpserver.CallResult{Input: input}, nil
	}
	told := TellAgent(entry.Tool, result)
	if p.dir == "" && result.Status == tool.StatusFailed {
		told.Content = strings.TrimSuffix(told.Content, "\n") + "\n" + noPlace
	}
	d.linkOutputs(call.Client, result, &told)
	return told, nil
}

// placeOf is place for a call, whose client may have to be asked first.
func (d *mcpDoor) placeOf(ctx context.Context, call mcpserver.Call, state *mcpState) (mcpPlace, *mcpserver.InputRequired, error) {
	if d.visitors != nil || d.o.Workspace != "" || !call.Client.Stateless() || !call.Client.Capabilities.Roots {
		p, err := d.place(ctx, call.Client)
		return p, nil, err
	}
	if answer, ok := call.Answers[rootsKey]; ok && state.Asked && state.Dir == "" {
		if roots := mcpserver.RootsOf(answer); len(roots) == 1 {
			state.Dir = roots[0]
		}
	}
	if !state.Asked {
		text, err := json.Marshal(mcpState{Asked: true})
		return mcpPlace{}, &mcpserver.InputRequired{State: string(text),
			Requests: map[string]mcpserver.InputRequest{rootsKey: {Method: "roots/list", Params: json.RawMessage(`{}`)}}}, err
	}
	if state.Dir != "" {
		if p, err := d.placeIn(state.Dir); p.dir != "" || err != nil {
			return p, nil, err
		}
	}
	p, err := d.placeIn(d.app.o.Dir)
	return p, nil, err
}

// CheckMCP says what of the options is no use: a directory that can be no workspace, a tool that there is not.
func (a *App) CheckMCP(o MCPOptions) error {
	if o.Workspace != "" && a.o.Dirs().Workspace(o.Workspace, nil).Root == "" {
		return fmt.Errorf("%s cannot be a workspace: it has to be a directory, and none that holds your home or our state", o.Workspace)
	}
	ids := map[string]bool{}
	for _, entry := range a.Configuration().Tools.ListIn(a.o.Dirs().Workspace(a.o.Dir, nil)) {
		ids[entry.Tool.ID] = true
	}
	for _, id := range o.Expose {
		if !ids[id] {
			return fmt.Errorf("there is no tool %q to expose%s", id, meant(id, slices.Sorted(maps.Keys(ids))))
		}
	}
	for _, glob := range o.Only {
		names := slices.Collect(maps.Keys(ids))
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("%q is no pattern: %w", glob, err)
		}
		if !slices.ContainsFunc(names, func(id string) bool { return isOneOf([]string{glob}, id) }) {
			return fmt.Errorf("--only %q names no tool%s", glob, meant(glob, names))
		}
	}
	if name := mcpserver.ToolName(o.Prefix + "x"); name != o.Prefix+"x" {
		return fmt.Errorf("the prefix %q cannot begin a tool's name: letters, digits, _, - and . can, fewer than 64", o.Prefix)
	}
	return nil
}

// meant asks whether another name was meant; "" where none is near.
func meant(name string, known []string) string {
	if near := spelling.Nearest(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// forModel is the result of a call that came to nothing.
func forModel(why error) mcpserver.CallResult {
	return mcpserver.CallResult{Content: why.Error(), IsError: true}
}
