// Package notify tells a person on the desktop that a question waits, or that an agent has done what it must
// not. It tells who and what kind of act, and none of the agent's words: a notification stands on locked
// screens, and in the desktop's own history.
//
// A notification can say no, and nothing else. Whoever reaches the session bus can press its button, an agent
// that is not confined among them.
package notify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// The bounds of what a desktop is told.
const (
	// Patience is how long a question stands before the desktop is told: who sits in front of the editor has
	// answered by then.
	Patience    = 3 * time.Second
	mostAtOnce  = 8                // questions, so that an agent cannot fill the screen
	mostOften   = 10 * time.Second // between two violations
	longestName = 40               // bytes of an agent's name
)

// Options are what a Desktop is made of.
type Options struct {
	// Wanted reports whether the person wants notifications now. Required, but for Missing.
	Wanted func() bool
	Getenv func(string) string // required
	Say    func(string)        // required: one line for the person
	// Programs are where notify-send is looked for; optional. PATH does not count: a repository can set it.
	Programs []string
	Patience time.Duration // before a question is told; optional, default Patience
}

// Desktop tells things with notify-send, of freedesktop.org's notifications. Safe for concurrent use.
type Desktop struct {
	o       Options
	program func() string
	slots   chan struct{}
	missing sync.Once
	sending sync.WaitGroup

	mu       sync.Mutex
	violated time.Time // when a violation was told last
}

// New returns a Desktop.
func New(o Options) *Desktop {
	if o.Programs == nil {
		o.Programs = []string{"/usr/bin/notify-send", "/usr/local/bin/notify-send", "/run/current-system/sw/bin/notify-send"}
	}
	if o.Patience == 0 {
		o.Patience = Patience
	}
	d := &Desktop{o: o, slots: make(chan struct{}, mostAtOnce)}
	d.program = sync.OnceValue(d.find)
	return d
}

// Waits tells that a question waits, once it has stood for a while, until ctx ends. It reports whether the
// person has refused it.
func (d *Desktop) Waits(ctx context.Context, q store.Approval) (refused bool) {
	patience := time.NewTimer(d.o.Patience)
	defer patience.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-patience.C:
	}
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	default:
		return false
	}
	if !d.usable() {
		return false
	}
	body := fmt.Sprintf("Answer it where it is asked, or with: a2a-acp approvals watch (question %s)", q.ID)
	pressed, err := d.send(ctx, name(cmp.Or(q.Principal, q.Agent), q.Door)+" asks: "+kind(q.Kind), body, "--action=refuse=Say no")
	if err != nil && ctx.Err() == nil { // before libnotify 0.8 there are no actions
		_, err = d.send(ctx, name(cmp.Or(q.Principal, q.Agent), q.Door)+" asks: "+kind(q.Kind), body)
	}
	if err != nil && ctx.Err() == nil {
		d.complain(err)
	}
	return err == nil && pressed == "refuse" && ctx.Err() == nil
}

// Close waits for notifications that are being sent. Their contexts must have ended.
func (d *Desktop) Close() error {
	d.sending.Wait()
	return nil
}

// Violated tells that an agent has done what a rule or an answer was against. It waits for nothing.
func (d *Desktop) Violated(ctx context.Context, agent, kindOfAct string) {
	d.sending.Go(func() { d.tellViolation(ctx, agent, kindOfAct) }) // ends with ctx, if not before
}

func (d *Desktop) tellViolation(ctx context.Context, agent, kindOfAct string) {
	d.mu.Lock()
	now := time.Now()
	often := now.Sub(d.violated) < mostOften
	if !often {
		d.violated = now
	}
	d.mu.Unlock()
	if often || !d.usable() {
		return
	}
	if _, err := d.send(ctx, name(agent, "")+" did what it must not: "+kind(kindOfAct),
		"See what it was: a2a-acp audit list --result violation", "--urgency=critical"); err != nil && ctx.Err() == nil {
		d.complain(err)
	}
}

// name is an agent's name as it may stand in a notification.
func name(agent, door string) string {
	switch {
	case agent != "":
		shown := display.Line(agent)
		return display.Cut(shown, min(len(shown), longestName))
	case door == "cli":
		return "tools run"
	}
	return "An agent"
}

// kind is what an act is about, in our words alone.
func kind(k string) string {
	words := map[string]string{"read": "to read a file", "write": "to change a file", "execute": "to run something",
		"call": "to call a tool", "fetch": "to reach the network"}
	if said, ok := words[k]; ok {
		return said
	}
	return "something else"
}

// usable reports whether the person wants notifications, and this session has them.
func (d *Desktop) usable() bool {
	if !d.o.Wanted() {
		return false
	}
	if err := d.Missing(); err != nil {
		d.complain(err)
		return false
	}
	return true
}

// Missing says what this session lacks to show a notification, and where that is had; nil for nothing.
func (d *Desktop) Missing() error {
	switch {
	case runtime.GOOS == "darwin":
		return errors.New("they are freedesktop.org's, which macOS has not")
	case d.bus() == "":
		return errors.New("this session has no bus; one that begins on a desktop has")
	case d.program() == "":
		return fmt.Errorf("there is no %s; it is in libnotify-bin (Debian, Ubuntu) or libnotify (Fedora, Arch)", d.o.Programs[0])
	}
	return nil
}

func (d *Desktop) find() string {
	for _, path := range d.o.Programs {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// bus returns the address of the session's bus: the one that the system has made for this user, before one that
// a variable names, which a repository could have set.
func (d *Desktop) bus() string {
	path := filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")
	if info, err := os.Stat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		return "unix:path=" + path
	}
	return d.o.Getenv("DBUS_SESSION_BUS_ADDRESS")
}

// complain says once what is wrong.
func (d *Desktop) complain(err error) {
	d.missing.Do(func() { d.o.Say(fmt.Sprintf("no desktop notifications: %s", display.Line(err.Error()))) })
}

// send shows a notification, and waits until it is gone where an option has it wait. It gives the action that
// was chosen. When ctx ends the notification is taken down.
func (d *Desktop) send(ctx context.Context, summary, body string, options ...string) (action string, err error) {
	args := append(options, "--app-name=a2a-acp", "--", summary, html.EscapeString(body))
	cmd := exec.CommandContext(ctx, d.program(), args...)
	cmd.Env = []string{"DBUS_SESSION_BUS_ADDRESS=" + d.bus(), "PATH=/usr/bin:/bin", "LANG=" + d.o.Getenv("LANG")}
	cmd.Dir = "/"
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) } // by which it takes the notification down
	cmd.WaitDelay = time.Second
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, complaint.String())
	}
	return strings.TrimSpace(out.String()), nil
}
