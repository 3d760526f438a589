package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// runningDaemon is a daemon of a test.
type runningDaemon struct {
	t       *testing.T
	first   map[string]any // the first line
	signals chan os.Signal
	over    chan struct{} // closed when it has ended
	atOnce  bool
	err     error
}

// daemon runs the daemon of an App, until it is told to end or with the test.
func (h *home) daemon(a *App, change func(*DaemonOptions)) *runningDaemon {
	h.t.Helper()
	d := &runningDaemon{t: h.t, signals: make(chan os.Signal, 4), over: make(chan struct{})}
	line, stdout, err := os.Pipe()
	if err != nil {
		h.t.Fatal(err)
	}
	o := DaemonOptions{Listen: []string{"127.0.0.1:0"}, Stdout: stdout, Signals: d.signals}
	if change != nil {
		change(&o)
	}
	go func() { // ends with the daemon
		defer close(d.over)
		d.atOnce, d.err = a.Daemon(o)
		stdout.Close()
	}()
	h.t.Cleanup(func() {
		d.end(syscall.SIGTERM, syscall.SIGTERM)
		if d.err != nil {
			h.t.Error(d.err)
		}
	})
	defer line.Close()
	text, err := bufio.NewReader(line).ReadBytes('\n')
	if err != nil {
		<-d.over
		h.t.Fatalf("the first line is %q: %v, %v", text, err, d.err)
	}
	if err := json.Unmarshal(text, &d.first); err != nil {
		h.t.Fatalf("%s: %v", text, err)
	}
	return d
}

// end sends signals, and returns when the daemon has ended.
func (d *runningDaemon) end(signals ...os.Signal) {
	for _, signal := range signals {
		select {
		case d.signals <- signal:
		case <-d.over:
		}
	}
	<-d.over
}

// call asks for a path, and returns the status and the body.
func (d *runningDaemon) call(path, token string) (int, string) {
	d.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, d.first["url"].(string)+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("X-API-Key", token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(body)
}

// token reads the token that the first line names.
func (d *runningDaemon) token() string {
	d.t.Helper()
	data, err := os.ReadFile(d.first["token_file"].(string))
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// callDoor is a door that calls the tool v for whoever asks for /call.
func callDoor(a *App) func() (serve.Door, error) {
	return func() (serve.Door, error) {
		door, err := a.openDoor()
		if err != nil {
			return serve.Door{}, err
		}
		return serve.Door{
			Name: "calls",
			Routes: []serve.Route{{Pattern: "GET /call", Scope: serve.ScopeTools, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				principal := serve.PrincipalOf(r.Context())
				workspace := a.o.Dirs().Workspace(principal.Workspace, nil)
				result := door.Executor.Execute(r.Context(), tool.Call{Tool: "v", Workspace: workspace, Dir: workspace.Root,
					Origin: tool.Origin{Door: tool.DoorMCP, Principal: principal.Name, Served: true, Headless: true}}, nil)
				fmt.Fprint(w, result.Status, " ", result.Stdout)
			})}},
			Drain: func(ctx context.Context) {
				door.Executor.Drain(ctx)
				door.close()
			},
		}, nil
	}
}

// TestDaemonEnds has the daemon end while a call runs: it waits for it, for as long as the grace, or not at all.
func TestDaemonEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		grace  time.Duration
		end    func(d *runningDaemon, finish func())
		atOnce bool
		want   string
	}{
		{"the call has its time", time.Hour, func(d *runningDaemon, finish func()) {
			d.signals <- syscall.SIGTERM
			for status := 200; status != 503; status, _ = d.call("/readyz", "") {
			}
			if status, body := d.call("/call", d.token()); status != 503 {
				t.Errorf("another call: %d, %s", status, body)
			}
			finish()
			<-d.over
		}, false, "completed done\n"},
		{"the grace ends", time.Millisecond, func(d *runningDaemon, _ func()) { d.end(syscall.SIGTERM) }, false, "cancelled "},
		{"a second signal", time.Hour, func(d *runningDaemon, _ func()) { d.end(syscall.SIGTERM, syscall.SIGINT) }, true, "cancelled "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write("tools.yaml", "version: 2\ntools:\n  v: {script: 'echo began > begun; read -r said < finish; echo $said', "+
				"sandbox: {use_temp_isolation: false, allowed_paths: ['.']}}\n")
			h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies:\n"+
				"  - {id: yes, applies_to: [v], principals: [local], decision: {type: approve}}\n")
			a := h.new()
			h.runs(a)
			work := filepath.Join(h.dir, "work")
			for _, name := range []string{"begun", "finish"} {
				if err := unix.Mkfifo(filepath.Join(work, name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d := h.daemon(a, func(o *DaemonOptions) {
				o.Grace, o.doors = test.grace, []func() (serve.Door, error){callDoor(a)}
			})
			answers := make(chan string, 1)
			go func() { // ends with the call
				_, body := d.call("/call", d.token())
				answers <- body
			}()
			if said, err := os.ReadFile(filepath.Join(work, "begun")); err != nil || string(said) != "began\n" {
				t.Fatalf("%q, %v", said, err)
			}
			test.end(d, func() {
				if err := os.WriteFile(filepath.Join(work, "finish"), []byte("done\n"), 0o600); err != nil {
					t.Error(err)
				}
			})
			if got := <-answers; got != test.want && !(test.atOnce && strings.Contains(got, "EOF")) {
				t.Errorf("the call is answered with %q, want %q", got, test.want)
			}
			if d.err != nil || d.atOnce != test.atOnce {
				t.Errorf("ended with %t, %v", d.atOnce, d.err)
			}
			kinds := h.kinds()
			if !slices.Equal(kinds, []events.Type{"config.loaded", "daemon.started", "client.accepted", "tool.decided", "tool.started", "tool.ended", "daemon.ended"}) {
				t.Errorf("on record is %q", kinds)
			}
		})
	}
}

// kinds are the types of what is on record, and checks that calls are on record as the principal's.
func (h *home) kinds() (kinds []events.Type) {
	h.t.Helper()
	entries, err := audit.List(filepath.Join(h.state, "audit"), audit.Filter{})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, entry := range entries {
		kinds = append(kinds, entry.Type)
		if strings.HasPrefix(string(entry.Type), "tool.") && entry.Principal != "local" {
			h.t.Errorf("%s is on record as the principal %q's", entry.Type, entry.Principal)
		}
	}
	return kinds
}

// TestDaemonIdentities lists who is let in, by what the configuration and the environment say.
func TestDaemonIdentities(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		settings    string
		environment map[string]string
		noAuth      bool
		file        bool              // a token is made
		who         map[string]string // by tokens; "" for nobody
	}{
		{"nothing", "", nil, false, true, map[string]string{"": "", "x": "", "made": "local"}},
		{"a variable", "", map[string]string{"A2A_AUTH_TOKEN": "var"}, false, false, map[string]string{"": "", "var": "default"}},
		{"a principal", "{ci: {token: {env: CI}, scopes: [approve]}}", map[string]string{"CI": "tok"}, false, false, map[string]string{"": "", "tok": "ci"}},
		{"a principal and a variable", "{ci: {token: {env: CI}}}", map[string]string{"CI": "tok", "A2A_AUTH_TOKEN": "var"}, false, false,
			map[string]string{"tok": "ci", "var": "default"}},
		{"a principal with that variable", "{me: {token: {env: A2A_AUTH_TOKEN}, scopes: [tools, approve]}}", map[string]string{"A2A_AUTH_TOKEN": "var"},
			false, false, map[string]string{"var": "me"}},
		{"nobody has to show a token", "{ci: {token: {env: CI}}}", map[string]string{"CI": "tok"}, true, false,
			map[string]string{"": "anonymous", "tok": "ci", "x": ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			if test.settings != "" {
				h.write("a2a-acp.yaml", "serve: {principals: "+test.settings+"}\n")
			}
			o := h.options()
			get := o.Getenv
			o.Getenv = func(name string) string {
				if value, ok := test.environment[name]; ok {
					return value
				}
				return get(name)
			}
			a, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := a.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			d := h.daemon(a, func(o *DaemonOptions) { o.NoAuth = test.noAuth })
			defer d.end(syscall.SIGTERM, syscall.SIGTERM)
			if _, made := d.first["token_file"]; made != test.file {
				t.Errorf("the first line is %v", d.first)
			}
			for token, name := range test.who {
				if token == "made" {
					token = d.token()
				}
				status, body := d.call("/status", token)
				var told struct {
					Principal struct {
						Name   string
						Scopes []serve.Scope
					}
				}
				if status == 200 {
					if err := json.Unmarshal([]byte(body), &told); err != nil {
						t.Fatal(err)
					}
				} else if status != 401 {
					t.Errorf("%q: %d, %s", token, status, body)
				}
				if told.Principal.Name != name {
					t.Errorf("%q is %q, want %q", token, told.Principal.Name, name)
				}
				own := slices.Contains(serve.OwnNames(), name)
				if own && (slices.Contains(told.Principal.Scopes, serve.ScopeApprove) || slices.Contains(told.Principal.Scopes, serve.ScopeAdmin)) {
					t.Errorf("%q may %v: an agent that finds its token could answer for the person", name, told.Principal.Scopes)
				}
			}
		})
	}
}

// TestDaemonToken has the made token be for its owner alone, stay, and not be taken from anywhere else.
func TestDaemonToken(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := h.new()
	path, token, err := a.daemonToken()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 || len(token) < 43 {
		t.Errorf("%v, %v, %d letters", info, err, len(token))
	}
	if _, again, err := a.daemonToken(); err != nil || again != token {
		t.Errorf("another one was made: %v", err)
	}
	for name, change := range map[string]func() error{
		"others may read it": func() error { return os.Chmod(path, 0o640) },
		"it is empty":        func() error { return os.WriteFile(path, nil, 0o600) },
		"it is short":        func() error { return os.WriteFile(path, []byte("x\n"), 0o600) },
		"it is a link": func() error {
			other := filepath.Join(h.dir, "other")
			return joined(os.WriteFile(other, []byte(strings.Repeat("x", 64)), 0o600), os.Remove(path), os.Symlink(other, path))
		},
		"it is a pipe": func() error { return joined(os.Remove(path), unix.Mkfifo(path, 0o600)) },
	} {
		if err := joined(os.RemoveAll(path), os.WriteFile(path, []byte(token+"\n"), 0o600), change()); err != nil {
			t.Fatal(err)
		}
		if _, got, err := a.daemonToken(); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func joined(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestOneDaemon has a second daemon refused that wants the same state directory, and told of the first.
func TestOneDaemon(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first, second := h.new(), h.new()
	d := h.daemon(first, nil)
	_, err := second.Daemon(DaemonOptions{Listen: []string{"127.0.0.1:0"}, Stdout: io.Discard})
	if err == nil || !strings.Contains(err.Error(), d.first["url"].(string)) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("a second: %v", err)
	}
	d.end(syscall.SIGTERM)
	if d.err != nil {
		t.Fatal(d.err)
	}
	next := h.daemon(second, nil)
	if status, _ := next.call("/readyz", ""); status != 200 {
		t.Errorf("the next one: %d", status)
	}
}

// TestDaemonLockIsLeft has the lock of a daemon that has ended free, also while a process is started, which has all files
// of ours open until it runs its program.
func TestDaemonLockIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := lockDaemon(dir)
	if err != nil {
		t.Fatal(err)
	}
	childs, err := unix.FcntlInt(lock.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(childs)
	if err := lock.release(); err != nil {
		t.Error(err)
	}
	next, err := lockDaemon(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := next.release(); err != nil {
		t.Error(err)
	}
}

// TestDaemonFails has nothing left open by a daemon that cannot begin: no door, no lock, no listener.
func TestDaemonFails(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := h.new()
	broken := func() (serve.Door, error) { return serve.Door{}, fs.ErrInvalid }
	for name, o := range map[string]DaemonOptions{
		"a door":     {doors: []func() (serve.Door, error){callDoor(a), broken}},
		"an address": {Listen: []string{"127.0.0.1:0", "8.8.8.8:1"}, doors: []func() (serve.Door, error){callDoor(a)}},
		"no auth":    {Listen: []string{"0.0.0.0:0"}, NoAuth: true, doors: []func() (serve.Door, error){callDoor(a)}},
		"the first line": {Listen: []string{"127.0.0.1:0"}, Stdout: brokenWriter{},
			doors: []func() (serve.Door, error){callDoor(a)}},
	} {
		if _, err := a.Daemon(o); err == nil {
			t.Errorf("%s: it began", name)
		}
		if open := a.openDoors(); len(open) > 0 {
			t.Errorf("%s: %d doors are open", name, len(open))
		}
	}
	h.daemon(a, nil)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, fs.ErrClosed }

// TestDaemonReloads has changed files change who is let in, at a signal and by themselves, and a mistake nothing.
func TestDaemonReloads(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	principals := func(names ...string) {
		var b bytes.Buffer
		b.WriteString("serve:\n  principals:\n")
		for _, name := range names {
			fmt.Fprintf(&b, "    %s: {token: {file: %s}}\n", name, filepath.Join(h.dir, name+".token"))
		}
		h.write("a2a-acp.yaml", b.String())
	}
	for _, name := range []string{"one", "two", "three"} {
		if err := os.WriteFile(filepath.Join(h.dir, name+".token"), []byte("tok-"+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	principals("one")
	a := h.new()
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := h.daemon(a, nil)
	until := func(token string, want int) {
		t.Helper()
		for {
			if status, body := d.call("/status", token); status == want {
				return
			} else if status != 200 && status != 401 {
				t.Fatalf("%d, %s", status, body)
			}
		}
	}
	until("tok-one", 200)
	principals("two")
	d.signals <- syscall.SIGHUP
	until("tok-two", 200)
	until("tok-one", 401)
	principals("two", "three") // and nobody says so
	until("tok-three", 200)
	principals("two", "four") // whose file is not there
	d.signals <- syscall.SIGHUP
	for !h.heard("the changed settings of the daemon are not used") {
	}
	h.write("a2a-acp.yaml", "serve: [\n")
	d.signals <- syscall.SIGHUP
	for !h.heard("a changed configuration is not used") {
	}
	until("tok-two", 200)
	until("tok-three", 200)
	if !h.heard("the principal four: the file") || !h.heard("a2a-acp.yaml:4:5") {
		t.Errorf("said %q", h.said)
	}
}

// TestDaemonOfAnAgent has the principals of a daemon that an agent has started be nobody whom rules name, and
// not answer for a person: that agent could have chosen their tokens.
func TestDaemonOfAnAgent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("a2a-acp.yaml", "serve: {principals: {ci: {token: {env: CI}, scopes: [tools, approve, admin]}}}\n")
	d := &daemon{app: h.new(), caller: person.Finding{Caller: person.Agent}}
	d.used = d.app.Set().Settings.Serve
	s := d.settings(d.used)
	names := slices.Collect(maps.Keys(s.Principals))
	if len(names) != 1 || names[0] != "an agent's own daemon: ci" {
		t.Fatalf("principals %q", names)
	}
	if scopes := s.Principals[names[0]].Scopes; !slices.Equal(scopes, []serve.Scope{serve.ScopeTools}) {
		t.Errorf("they may %q", scopes)
	}
	var o serve.Options
	d.o.NoAuth = true
	if err := d.addIdentities(&o); err != nil || o.Open.Name != "an agent's own daemon: anonymous" {
		t.Errorf("everybody is %v, %v", o.Open, err)
	}
}

// TestVisits has who comes on record once, and a flood of those who are refused not fill it.
func TestVisits(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	noted := map[events.Type]int{}
	v := newVisits(func(e events.Event) {
		mu.Lock()
		defer mu.Unlock()
		noted[e.Type]++
		if len(e.Client.UserAgent) > longestSaid || strings.ContainsAny(e.Client.UserAgent, "\n\x1b") || strings.Contains(e.Client.Address, ":1") {
			t.Errorf("noted %+v", e.Client)
		}
	})
	for port := range 1000 {
		v.tell(serve.Visit{Principal: "ci", By: "token", Address: fmt.Sprint("127.0.0.1:", 10000+port), UserAgent: "a\n\x1b[0m" + strings.Repeat("ä", 1000)})
		v.tell(serve.Visit{Address: fmt.Sprint("127.0.0.1:", 10000+port), Why: "no"})
	}
	v.tell(serve.Visit{Principal: "web", Address: "127.0.0.1:1"})
	if noted[events.ClientAccepted] != 2 || noted[events.ClientRefused] != mostRefused {
		t.Errorf("noted %v", noted)
	}
}

// TestTokensAreNotForAgents has an agent's environment hold no token of a principal's.
func TestTokensAreNotForAgents(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("a2a-acp.yaml", "serve: {principals: {ci: {token: {env: CI_TOKEN}}, web: {token: {file: /x}}}}\n")
	got := h.new().forAgents([]string{"PATH=/bin", "CI_TOKEN=tok", "CI_TOKEN2=x", "EMPTY="})
	if want := []string{"PATH=/bin", "CI_TOKEN2=x", "EMPTY="}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWorkspacesOfPrincipals has a directory in which nobody could work said, with its place, before anything is
// listened at.
func TestWorkspacesOfPrincipals(t *testing.T) {
	t.Parallel()
	for settings, says := range map[string]string{
		"serve: {workspace: /nonexistent}":                                             "serve: the workspace /nonexistent is no directory",
		"serve:\n  principals:\n    ci: {token: {env: CI}, workspace: /}":              "a2a-acp.yaml:3:5: the principal ci: / cannot be a workspace",
		"serve: {principals: {ci: {token: {env: CI}, mcp: {workspace: /etc/passwd}}}}": "the workspace /etc/passwd is no directory",
	} {
		h := newHome(t)
		h.write("a2a-acp.yaml", settings+"\n")
		_, err := h.new().Daemon(DaemonOptions{Listen: []string{"127.0.0.1:0"}, Stdout: io.Discard})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", settings, err, says)
		}
	}
}

// fullDisk is a record that cannot be written at times.
type fullDisk struct {
	events.Recorder
	full atomic.Bool
}

func (d *fullDisk) Record(ctx context.Context, event events.Event) error {
	if d.full.Load() {
		return unix.ENOSPC
	}
	return d.Recorder.Record(ctx, event)
}

// TestDaemonWithoutARecord has the daemon not be ready while the record cannot be written, and say nothing else.
func TestDaemonWithoutARecord(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := h.new()
	disk := &fullDisk{Recorder: a.recorder.Recorder}
	a.recorder.Recorder = disk
	d := h.daemon(a, nil)
	if status, body := d.call("/readyz", ""); status != 200 {
		t.Errorf("%d, %s", status, body)
	}
	disk.full.Store(true)
	d.call("/status", d.token()) // a visit that is not on record
	if status, body := d.call("/readyz", ""); status != 503 || !strings.Contains(body, `"waits_for":["the record"]`) || strings.Contains(body, "space") {
		t.Errorf("%d, %s", status, body)
	}
	disk.full.Store(false)
	d.call("/status", "nobody's")
	if status, body := d.call("/readyz", ""); status != 200 {
		t.Errorf("%d, %s", status, body)
	}
}

// TestSlowTokens has a password manager that takes its time for a principal's token keep neither acts nor the end
// of the daemon waiting.
func TestSlowTokens(t *testing.T) {
	t.Parallel()
	if found := person.Look(); found.AgentsAct() {
		t.Skipf("who has started this gets no secrets: %s", found.Reason)
	}
	h := newHome(t)
	a := h.new()
	begun, never := filepath.Join(h.dir, "begun"), filepath.Join(h.dir, "never")
	if err := joined(unix.Mkfifo(begun, 0o600), unix.Mkfifo(never, 0o600)); err != nil {
		t.Fatal(err)
	}
	command := []string{"/bin/sh", "-c", "echo began >" + begun + "; cat " + never}
	if _, err := secret.NewStore(h.state).Set("SLOW", secret.Entry{Command: command}); err != nil {
		t.Fatal(err)
	}
	d := h.daemon(a, nil)
	h.write("a2a-acp.yaml", "serve: {principals: {slow: {token: {secret: SLOW}}}}\n")
	d.signals <- syscall.SIGHUP
	if said, err := os.ReadFile(begun); err != nil || string(said) != "began\n" {
		t.Fatalf("%q, %v", said, err)
	}
	a.Refreshed(a.sources.Workspace)
	if status, body := d.call("/status", d.token()); status != 200 {
		t.Errorf("%d, %s", status, body)
	}
	d.end(syscall.SIGTERM)
	if d.err != nil {
		t.Error(d.err)
	}
}
