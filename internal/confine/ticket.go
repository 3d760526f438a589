package confine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// ticket is a command of an agent's that an editor is to run. It waits in a file that only we can read, and
// is good for one time. The editor gets nothing but its name, in hexadecimal: some editors hand a command
// line to a shell as it is, some start its words as they are, and a variable that the agent names must not
// reach the program that makes the sandbox.
type ticket struct {
	Command     []string          `json:"command"`
	Open        bool              `json:"open"`        // the agent is in no sandbox, and neither is its command
	Profile     sandbox.Profile   `json:"profile"`     // but for the environment
	Variables   []string          `json:"variables"`   // of ours, by name, since there may be keys among them
	Environment map[string]string `json:"environment"` // what the agent gave
	Hidden      []string          `json:"hidden"`
	Kept        []string          `json:"kept"`
}

// largestTicket is the size of a ticket's file, in bytes, that is read. A command line has at most 2 MB
// (execve(2)).
const largestTicket = 8 << 20

// Terminal implements acp.Confinement: the command runs in the agent's sandbox.
func (b *Boundary) Terminal(order acp.TerminalOrder) (command string, args []string, err error) {
	t := ticket{Profile: b.profile, Variables: b.o.Variables(), Hidden: b.inside.Hidden, Kept: b.inside.elsewhere(),
		Environment: map[string]string{}}
	t.Profile.Environment, t.Profile.Sockets = nil, nil
	for _, variable := range b.o.Environment {
		if name, value, given := strings.Cut(variable, "="); given {
			t.Environment[name] = value
		}
	}
	return t.write(b.tickets, b.o.Self, order)
}

// Terminals implements acp.Terminals for an agent that is in no sandbox. Close it.
type Terminals struct {
	Self string // this program

	mu  sync.Mutex
	dir string // a directory that is ours alone, made with the first ticket
}

// Terminal implements acp.Terminals: the command runs with what the editor gives its terminals.
func (t *Terminals) Terminal(order acp.TerminalOrder) (command string, args []string, err error) {
	dir, err := t.tickets()
	if err != nil {
		return "", nil, err
	}
	out := ticket{Open: true, Environment: map[string]string{}}
	return out.write(dir, t.Self, order)
}

func (t *Terminals) tickets() (_ string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir == "" {
		t.dir, err = makeTickets()
	}
	return t.dir, err
}

// makeTickets makes a directory for tickets, where nothing in the sandbox sees it, whatever it was granted:
// who changes a ticket before it is redeemed chooses what runs, and that it runs outside.
func makeTickets() (string, error) {
	place, err := sandbox.PrivateTempDir(os.TempDir())
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(place, "tickets-")
}

// Close removes the directory of tickets.
func (t *Terminals) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir == "" {
		return nil
	}
	return os.RemoveAll(t.dir)
}

// write leaves the ticket of an order in a directory, and gives the command that redeems it.
func (t *ticket) write(tickets, self string, order acp.TerminalOrder) (command string, args []string, err error) {
	dir, err := permissions.Resolve("/", order.Dir)
	if err != nil {
		return "", nil, err
	}
	t.Command, t.Profile.Dir = order.Command, dir
	if order.Command == nil {
		t.Command = []string{shell(), "-c", order.Shell}
	}
	for _, variable := range order.Environment {
		t.Environment[variable.Name] = variable.Value
	}
	data, err := json.Marshal(t)
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(tickets, ticketID())
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", nil, err
	}
	return self, append([]string{"sandbox", "exec", "--ticket", hex.EncodeToString([]byte(path)), "--"},
		label(t.Command)...), nil
}

func shell() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return "/bin/sh"
}

// label is the command for people who look at the terminal: words in which nothing means anything to a shell.
func label(command []string) []string {
	const longest = 12
	var words []string
	for _, word := range strings.Fields(strings.Join(command, " ")) {
		if len(words) == longest {
			break
		}
		safe := strings.Map(func(c rune) rune {
			if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=+@%-", c) {
				return c
			}
			return '_'
		}, word)
		words = append(words, safe[:min(len(safe), 40)])
	}
	return words
}

// redeem runs the command of a ticket. Whoever can write such a file could as well name all of it on our
// command line.
func redeem(ctx context.Context, o ExecOptions) (code int, err error) {
	t, err := takeTicket(o.Ticket)
	if err != nil {
		return exit.Usage, fmt.Errorf("--ticket: %w", err)
	}
	if t.Open {
		return exit.Host, t.become(o)
	}
	e := &execution{o: o}
	if err := e.useTicket(t); err != nil {
		return exit.Usage, err
	}
	return e.start(ctx)
}

// become runs the command in the place of this program. It returns only when it cannot.
func (t ticket) become(o ExecOptions) error {
	environment := os.Environ()
	path := o.Getenv("PATH")
	for _, name := range slices.Sorted(maps.Keys(t.Environment)) {
		environment = slices.DeleteFunc(environment,
			func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		environment = append(environment, name+"="+t.Environment[name])
		if name == "PATH" {
			path = t.Environment[name]
		}
	}
	program, err := sandbox.LookPath(t.Command[0], path, t.Profile.Dir)
	if err != nil {
		return err
	}
	if err := os.Chdir(t.Profile.Dir); err != nil {
		return err
	}
	supervisor.Mark() // the editor's process is no child of the bridge's
	return &os.PathError{Op: "run", Path: program, Err: syscall.Exec(program, t.Command, environment)}
}

// useTicket does what settle does, with a ticket.
func (e *execution) useTicket(t ticket) (err error) {
	e.o.Command, e.o.Hidden, e.o.BestEffort = t.Command, append(e.o.Hidden, t.Hidden...), t.Profile.BestEffort
	e.o.Kept = append(e.o.Kept, t.Kept...)
	if !e.o.BestEffort {
		e.o.AtLeast = string(sandbox.LevelFull)
	}
	e.profile = t.Profile
	e.profile.Terminal = anyTerminal(e.o.Stdio)
	e.profile.Environment = map[string]string{}
	for _, name := range append(slices.Clone(t.Variables), "TERM") {
		if value := e.o.Getenv(name); value != "" {
			e.profile.Environment[name] = value
		}
	}
	maps.Copy(e.profile.Environment, t.Environment)
	path, ok := e.profile.Environment["PATH"]
	if !ok {
		path = sandbox.SearchPath
	}
	e.program, err = sandbox.LookPath(t.Command[0], path, e.profile.Dir)
	return err
}

// ticketID returns the name of a new ticket's file.
func ticketID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// ticketName is what a ticket's file is called (see ticketID).
var ticketName = lazyregexp.New(`^[0-9a-f]{16}$`)

// takeTicket reads a ticket and uses it up. Whoever starts us chooses the path, and agents do so where a
// rule lets them: what is not a ticket in every respect stays where it is.
func takeTicket(name string) (t ticket, err error) {
	decoded, err := hex.DecodeString(name)
	path := string(decoded)
	if err != nil || !filepath.IsAbs(path) || filepath.Clean(path) != path ||
		!ticketName.MatchString(filepath.Base(path)) {
		return t, errors.New("it is none of a bridge's; this is for the editor of a running bridge to start")
	}
	dir, err := os.Lstat(filepath.Dir(path))
	if err != nil {
		return t, errors.New("the bridge that gave it has ended")
	}
	if stat, ok := dir.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() ||
		dir.Mode().Perm() != 0o700 || !dir.IsDir() {
		return t, errors.New("it does not lie in a directory that is ours alone")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return t, errors.New("it has been used, or the bridge that gave it has ended")
	}
	defer f.Close()
	if t, err = readTicket(f); err != nil {
		return ticket{}, err
	}
	if err := os.Remove(path); err != nil {
		return ticket{}, errors.New("it has been used") // by another who was quicker
	}
	return t, nil
}

// readTicket reads what Terminal has written, and nothing else.
func readTicket(f *os.File) (t ticket, err error) {
	info, err := f.Stat()
	if err != nil {
		return t, err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() ||
		info.Mode() != 0o600 || info.Size() > largestTicket {
		return t, errors.New("it is not a file that a bridge has made")
	}
	decoder := json.NewDecoder(f)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&t); err != nil || len(t.Command) == 0 {
		return t, errors.New("it is not what a bridge writes")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return t, errors.New("there is more in it than a bridge writes")
	}
	return t, nil
}
