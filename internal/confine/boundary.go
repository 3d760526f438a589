package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/pathwalk"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// BoundaryOptions is what a Boundary takes from outside.
type BoundaryOptions struct {
	Options
	Confinement
	Self  string        // this program
	Agent []string      // the agent's command
	Host  *sandbox.Host // required
	// Note puts an event on record as far as there is one.
	Note func(events.Event) // required
}

// Boundary is the sandbox that a bridge's agent is in, seen from outside: what the bridge and the editor do
// for the agent is held to what it lets the agent do by itself. It implements acp.Confinement. Close it.
type Boundary struct {
	o       BoundaryOptions
	inside  ExecOptions     // what starts the agent
	profile sandbox.Profile // what that comes to
	reach   sandbox.Reach
	level   sandbox.Level
	digest  string
	user    int    // whom the agent runs as
	doors   string // a directory of the sockets that it can reach
	tickets string // a directory that it cannot

	mu       sync.Mutex
	refusals map[string]bool // what it said it was refused
}

// NewBoundary makes the sandbox of an agent ready, and finds out whether this machine can make it. With an
// error comes the exit code.
func NewBoundary(o BoundaryOptions) (_ *Boundary, code int, err error) {
	b := &Boundary{o: o, refusals: map[string]bool{}}
	if code, err := b.open(); err != nil {
		return nil, code, errors.Join(err, b.Close())
	}
	return b, 0, nil
}

func (b *Boundary) open() (code int, err error) {
	if b.doors, err = os.MkdirTemp(shortTemp(), "a2a-acp-"); err != nil {
		return exit.Host, err
	}
	if b.tickets, err = makeTickets(); err != nil {
		return exit.Host, err
	}
	if b.inside, err = b.o.exec(b.o.Options, b.o.Self, b.doors, b.o.Agent); err != nil {
		return exit.Host, err
	}
	e := &execution{o: b.inside, host: b.o.Host}
	if err := e.settle(); err != nil {
		return exit.Usage, err
	}
	plan, err := b.o.Host.Plan(e.profile)
	if err != nil {
		return codeOfPlan(err), err
	}
	if err := e.refuse(plan.Level()); err != nil {
		return exit.Host, err
	}
	b.profile, b.reach, b.level, b.user = e.profile, b.o.Host.Reach(plan), plan.Level(), plan.User()
	lasting := e.profile
	lasting.Sockets = slices.DeleteFunc(slices.Clone(e.profile.Sockets), func(dir string) bool { return dir == b.doors })
	if plan, err = b.o.Host.Plan(lasting); err != nil {
		return codeOfPlan(err), err
	}
	b.digest = digest.Hex(append([]string{plan.Digest()}, slices.Sorted(slices.Values(b.inside.Hidden))...)...)
	b.lookAtHomes()
	return exit.Host, b.letIn()
}

// Close removes the directories of sockets and tickets.
func (b *Boundary) Close() error {
	var errs []error
	for _, dir := range []string{b.doors, b.tickets} {
		if dir != "" {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return errors.Join(errs...)
}

// Sockets returns a directory that the agent reaches, for the sockets that it is to reach us by.
func (b *Boundary) Sockets() string { return b.doors }

// User returns whom the agent runs as.
func (b *Boundary) User() int { return b.user }

// shortTemp is where temporary files go, if the path of a socket there is not too long (unix(7), 108 bytes).
func shortTemp() string {
	if dir := os.TempDir(); len(dir) <= 50 {
		return dir
	}
	return "/tmp"
}

// lookAtHomes tells of a variable that has the agent keep its state where the profile does not let it. Its
// word alone is not enough: a repository can set variables (direnv does), and could name your keys.
func (b *Boundary) lookAtHomes() {
	for _, name := range []string{"CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "OPENCODE_CONFIG_DIR"} {
		dir := b.profile.Environment[name]
		if dir == "" {
			continue
		}
		if real, err := permissions.Resolve(b.profile.Dir, dir); err != nil || !b.reach.Of(real).Write {
			b.o.Say(fmt.Sprintf("%s names %s, which the agent cannot write to (profile %s); %s lets it", name,
				display.Line(dir), b.o.Profile, flagFor(dir, true)))
		}
	}
}

// letIn lets the agent get to the sockets where it runs as somebody else than us.
func (b *Boundary) letIn() error {
	if b.user == os.Geteuid() {
		return nil
	}
	return os.Chmod(b.doors, 0o711) // nobody can list what is in it, and the names in it cannot be guessed
}

// Command returns the words that start the agent in its sandbox.
func (b *Boundary) Command() []string { return b.inside.words(b.o.Self) }

// Digest names everything that the sandbox grants and withholds: its paths, network, sockets, limits and
// variables with their values, and how far this machine goes. It is the same for each start of the same sandbox.
func (b *Boundary) Digest() string { return b.digest }

// Program returns the file that starts as the agent, absolute and without links.
func (b *Boundary) Program() string { return b.inside.Command[0] }

// Whole reports whether the sandbox is of the level full, as it is where it was not asked for less.
func (b *Boundary) Whole() bool { return b.level.AtLeast(sandbox.LevelFull) }

// String tells people what the agent can do.
func (b *Boundary) String() string {
	if !b.Whole() {
		return fmt.Sprintf("the agent is confined (profile %s) only as far as this machine goes, level %s", b.o.Profile, b.level)
	}
	return fmt.Sprintf("the agent is confined (profile %s): it can write to %s and its own state, and nowhere else",
		b.o.Profile, b.profile.Dir)
}

// Admit refuses a session in a directory that the agent does not see: it would work in an empty one.
func (b *Boundary) Admit(w tool.Workspace, cwd string) error {
	if real, err := permissions.Resolve("/", cwd); err != nil || !b.reach.Of(real).Read {
		return fmt.Errorf("the agent is confined to %s (profile %s), which the session's directory %s is not in; "+
			"start the bridge there, or add %s", b.profile.Dir, b.o.Profile, cwd, flagFor(cwd, true))
	}
	for _, dir := range w.Additional {
		if !b.reach.Of(dir).Read {
			b.o.Say(fmt.Sprintf("the agent does not see %s, a further directory of the session: it is confined (profile %s); "+
				"%s would show it", dir, b.o.Profile, flagFor(dir, true)))
		}
	}
	return nil
}

// Hold implements acp.Confinement.
func (b *Boundary) Hold(r acp.Reaching) (permissions.Verdict, string) {
	verb := "read"
	if r.Write {
		verb = "write to"
	}
	held := func(why string) string {
		return fmt.Sprintf("the agent is confined (profile %s), %s", b.o.Profile, why)
	}
	if !r.Own && !filepath.IsAbs(r.Path) {
		return permissions.Reject, held("and an editor may take a path that is not absolute for any file")
	}
	seen := b.seen(r.Dir, r.Path)
	real, err := permissions.Resolve(r.Dir, r.Path)
	if err != nil && (b.reach.Of(seen).Read || strings.HasPrefix(seen, "/proc/")) {
		return permissions.Reject, held("and it cannot be told which file " + display.Line(seen) + " is")
	}
	access := sandbox.Access{}
	if err == nil {
		access = b.reach.Of(real)
	}
	switch {
	case access.Write, access.Read && !r.Write:
		return permissions.Approve, ""
	case err == nil && r.Own && sandbox.IsPrivate(real):
		return permissions.Approve, "" // it has a /tmp of its own
	case access.Own:
		return permissions.Reject, held("and this is a file of a2a-acp itself")
	case access.Protected:
		return permissions.Ask, held("and others run or believe " + display.Line(real) +
			" without a further look, so its sandbox does not let it change that")
	}
	// The agent reads this, so it tells nothing of what there is outside: of a file that exists, of one
	// that does not, and of a link, the same.
	at := seen
	if r.Write {
		at = filepath.Dir(seen)
	}
	switch what := sensitive.Delicate(seen); {
	case what != "":
		return permissions.Reject, held(fmt.Sprintf("and cannot %s %s, which %s", verb, display.Line(seen), what))
	case !grantable(at):
		return permissions.Reject, held(fmt.Sprintf("and cannot %s %s", verb, display.Line(seen)))
	default:
		return permissions.Reject, held(fmt.Sprintf("and cannot %s %s; a2a-acp bridge %s would let it", verb,
			display.Line(seen), flagFor(at, r.Write)))
	}
}

// seen returns the name of a file as far as the agent can follow it: a link that it cannot read stays what
// it is called.
func (b *Boundary) seen(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	links := 0
	at, _ := pathwalk.Walk(filepath.Clean(path), func(name string) (target string, _ error) {
		if links < pathwalk.MostLinks && b.reach.Of(name).Read {
			if target, _ = os.Readlink(name); target != "" {
				links++
			}
		}
		return target, nil
	})
	return at
}

// grantable reports whether a path is one that a person would grant: not the root, nor what homes are in.
func grantable(path string) bool {
	home, err := os.UserHomeDir()
	return path != "/" && path != "/home" && path != "/root" &&
		(err != nil || path != home && !strings.HasPrefix(home, path+"/"))
}

// flagFor returns the flag of the bridge's that grants a path.
func flagFor(path string, write bool) string {
	if !write {
		path += ":ro"
	}
	return "--allow " + display.ShellWord(path)
}
