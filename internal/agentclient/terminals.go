package agentclient

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Command is a command of an agent's that is to be run, as the bridge has decided about it.
type Command struct {
	Words []string
	Dir   string
}

// Running is a command that runs. Its methods are safe for concurrent use.
type Running interface {
	// Output is what it prints, on both streams. It ends when nobody holds it open any more.
	Output() io.Reader
	// Wait waits until the command and all that it has started is gone, and says how it has ended:
	// signal is "" for one that ended by itself.
	Wait() (code int, signal string)
	// Stop ends it. It returns when it has.
	Stop()
}

// The bounds of what is kept of a terminal's output, in bytes.
const (
	usualOutput = 1 << 20
	mostOutput  = 2 << 20
	// mostTerminals bounds how many terminals of an agent there are at once.
	mostTerminals = 64
)

// terminals are those of one agent.
type terminals struct {
	run func(Command) (Running, error)

	mu     sync.Mutex
	byID   map[string]*terminal
	over   bool
	halted bool           // the turn was cancelled, and no other one has begun
	wait   sync.WaitGroup // for those that read their output
}

// terminal is a command that we run for an agent.
type terminal struct {
	id      string
	running Running
	most    int
	ended   chan struct{} // closed when code and signal are set

	mu        sync.Mutex
	output    []byte // the end of it
	truncated bool
	code      int
	signal    string
}

// exitStatus is how a command has ended (ACP, TerminalExitStatus).
type exitStatus struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

// create answers terminal/create.
func (t *terminals) create(params json.RawMessage) (any, error) {
	var p struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Cwd     string   `json:"cwd"`
		Limit   *int     `json:"outputByteLimit"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &wireError{Code: codeParams, Message: err.Error()}
	}
	most := usualOutput
	if p.Limit != nil {
		most = min(max(*p.Limit, 0), mostOutput)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return nil, errHungUp
	case t.halted:
		return nil, errors.New("the prompt was cancelled, and no other one has come")
	case len(t.byID) >= mostTerminals:
		return nil, errors.New("the agent has as many terminals as it may have; it has to release one first")
	}
	running, err := t.run(Command{Words: append([]string{p.Command}, p.Args...), Dir: p.Cwd})
	if err != nil {
		return nil, err
	}
	term := &terminal{id: "terminal-" + randomName(), running: running, most: most, ended: make(chan struct{})}
	if t.byID == nil {
		t.byID = map[string]*terminal{}
	}
	t.byID[term.id] = term
	t.wait.Go(term.follow) // ends with the command
	return map[string]string{"terminalId": term.id}, nil
}

// follow reads what the command prints, until it has ended.
func (t *terminal) follow() {
	defer close(t.ended)
	_, _ = io.Copy(t, t.running.Output()) // a stream that breaks has no more
	code, signal := t.running.Wait()
	t.mu.Lock()
	t.code, t.signal = code, signal
	t.mu.Unlock()
}

// Write keeps what the command prints, but for what is too long at its beginning.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.output = append(t.output, p...)
	if len(t.output) > 2*t.most+4096 { // not with each write
		t.cut()
	}
	return len(p), nil
}

// cut leaves the end of the output, from the beginning of a character on. Called with mu held.
func (t *terminal) cut() {
	if len(t.output) <= t.most {
		return
	}
	t.truncated = true
	rest := t.output[len(t.output)-t.most:]
	for i := 0; i < utf8.UTFMax && len(rest) > 0 && !utf8.RuneStart(rest[0]); i++ {
		rest = rest[1:]
	}
	t.output = append(t.output[:0], rest...)
}

// text returns the output that is kept.
func (t *terminal) text() (output string, truncated bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cut()
	return strings.ToValidUTF8(string(t.output), "\uFFFD"), t.truncated
}

// exit returns how the command has ended; nil while it runs.
func (t *terminal) exit() *exitStatus {
	select {
	case <-t.ended:
	default:
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.signal != "" {
		signal := t.signal
		return &exitStatus{Signal: &signal}
	}
	code := t.code
	return &exitStatus{ExitCode: &code}
}

// shown is the terminal as it is told of.
func (t *terminal) shown() TerminalOutput {
	output, _ := t.text()
	shown := TerminalOutput{ID: t.id, Output: output}
	if exit := t.exit(); exit != nil {
		code := -1
		if exit.ExitCode != nil {
			code = *exit.ExitCode
		}
		shown.Exit = &code
	}
	return shown
}

// find returns a terminal; nil for one that there is not.
func (t *terminals) find(id string) *terminal {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// named finds the terminal that params name.
func (t *terminals) named(params json.RawMessage) (*terminal, error) {
	var p struct {
		ID string `json:"terminalId"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &wireError{Code: codeParams, Message: err.Error()}
	}
	term := t.find(p.ID)
	if term == nil {
		return nil, &wireError{Code: codeNotFound, Message: "there is no such terminal"}
	}
	return term, nil
}

// output answers terminal/output.
func (t *terminals) output(params json.RawMessage) (any, error) {
	term, err := t.named(params)
	if err != nil {
		return nil, err
	}
	exit := term.exit() // before the output, which is whole once there is an exit
	text, truncated := term.text()
	return struct {
		Output    string      `json:"output"`
		Truncated bool        `json:"truncated"`
		Exit      *exitStatus `json:"exitStatus,omitempty"`
	}{text, truncated, exit}, nil
}

// waitForExit answers terminal/wait_for_exit.
func (t *terminals) waitForExit(ctx context.Context, params json.RawMessage) (any, error) {
	term, err := t.named(params)
	if err != nil {
		return nil, err
	}
	select {
	case <-term.ended:
		return term.exit(), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// kill answers terminal/kill: the command ends, and its output is kept.
func (t *terminals) kill(params json.RawMessage) (any, error) {
	term, err := t.named(params)
	if err != nil {
		return nil, err
	}
	term.running.Stop()
	<-term.ended
	return nil, nil
}

// release answers terminal/release: the command ends, and nothing is kept.
func (t *terminals) release(params json.RawMessage) (any, error) {
	term, err := t.named(params)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	delete(t.byID, term.id)
	t.mu.Unlock()
	term.running.Stop()
	return nil, nil
}

// halt ends all commands, since the turn is cancelled in which they run, and has none begin before resume. It returns when
// they have ended. What they have put out is kept.
func (t *terminals) halt() {
	t.mu.Lock()
	t.halted = true
	ending := t.stopAll()
	t.mu.Unlock()
	ending.Wait()
}

// stopAll ends all commands, and returns what waits until they have ended. mu is held.
func (t *terminals) stopAll() *sync.WaitGroup {
	var ending sync.WaitGroup
	for _, term := range t.byID {
		ending.Go(term.running.Stop) // ends with the command
	}
	return &ending
}

// resume lets commands begin again.
func (t *terminals) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.halted = false
}

// close ends all terminals. It returns when they have.
func (t *terminals) close() {
	t.mu.Lock()
	t.over = true
	ending := t.stopAll()
	t.byID = nil
	t.mu.Unlock()
	ending.Wait()
	t.wait.Wait()
}
