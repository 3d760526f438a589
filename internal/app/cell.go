package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// cell is the sandbox that a bridge's agent is in, seen from outside: what the bridge and the editor do for the agent is held to
// what it lets the agent do by itself.
type cell struct {
	app     *App
	c       Confinement
	self    string
	inside  ExecOptions     // what starts the agent
	profile sandbox.Profile // what that comes to
	reach   sandbox.Reach
	level   sandbox.Level
	user    int    // whom the agent runs as
	doors   string // a directory of the sockets that it can reach
	tickets string // a directory that it cannot

	mu    sync.Mutex
	heard map[string]bool // what it said it was refused
}

// shutIn makes the sandbox of an agent ready, and finds out whether this machine can make it. With an error comes the exit code.
func (a *App) shutIn(self string, c Confinement, agent []string) (_ *cell, code int, err error) {
	s := &cell{app: a, c: c, self: self, heard: map[string]bool{}}
	for _, dir := range []*string{&s.doors, &s.tickets} {
		if *dir, err = os.MkdirTemp(shortTemp(), "a2a-acp-"); err != nil {
			return nil, exitHost, err
		}
		a.onClose(func() error { return os.RemoveAll(*dir) })
	}
	if s.inside, err = c.exec(a.o, self, s.doors, agent); err != nil {
		return nil, exitHost, err
	}
	e := &execution{o: s.inside, host: a.host}
	if err := e.settle(); err != nil {
		return nil, exitConfig, err
	}
	plan, err := a.host.Plan(e.profile)
	if err != nil {
		return nil, codeOfPlan(err), err
	}
	if err := e.refuse(plan.Level()); err != nil {
		return nil, exitHost, err
	}
	s.profile, s.reach, s.level, s.user = e.profile, a.host.Reach(plan), plan.Level(), plan.User()
	s.lookAtHomes()
	return s, 0, s.letIn()
}

// shortTemp is where temporary files go, if the path of a socket there is not too long (unix(7), 108 bytes).
func shortTemp() string {
	if dir := os.TempDir(); len(dir) <= 50 {
		return dir
	}
	return "/tmp"
}

// lookAtHomes tells of a variable that has the agent keep its state where the profile does not let it. Its word alone is not
// enough: a repository can set variables (direnv does), and could name your keys.
func (s *cell) lookAtHomes() {
	for _, name := range []string{"CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "OPENCODE_CONFIG_DIR"} {
		dir := s.profile.Environment[name]
		if dir == "" {
			continue
		}
		if real, err := permissions.Resolve(s.profile.Dir, dir); err != nil || !s.reach.Of(real).Write {
			s.app.o.Say(fmt.Sprintf("%s names %s, which the agent cannot write to (profile %s); %s lets it", name, permissions.ShowLine(dir), s.c.Profile, flagFor(dir, true)))
		}
	}
}

// letIn lets the agent get to the sockets where it runs as somebody else than us.
func (s *cell) letIn() error {
	if s.user == os.Geteuid() {
		return nil
	}
	return os.Chmod(s.doors, 0o711) // nobody can list what is in it, and the names in it cannot be guessed
}

// command gives the words that start the agent in its sandbox.
func (s *cell) command() []string { return s.inside.words(s.self) }

// says tells people what the agent can do.
func (s *cell) says() string {
	if !s.level.AtLeast(sandbox.LevelFull) {
		return fmt.Sprintf("the agent is confined (profile %s) only as far as this machine goes, level %s; what the editor does for it is held to the profile", s.c.Profile, s.level)
	}
	return fmt.Sprintf("the agent is confined (profile %s): it can write to %s and its own state, and nowhere else; what the editor does for it is held to the same", s.c.Profile, s.profile.Dir)
}

// admit refuses a session in a directory that the agent does not see: it would work in an empty one.
func (s *cell) admit(w tool.Workspace, cwd string) error {
	if real, err := permissions.Resolve("/", cwd); err != nil || !s.reach.Of(real).Read {
		return fmt.Errorf("the agent is confined to %s (profile %s), which the session's directory %s is not in; start the bridge there, or add %s", s.profile.Dir, s.c.Profile, cwd, flagFor(cwd, true))
	}
	for _, dir := range w.Additional {
		if !s.reach.Of(dir).Read {
			s.app.o.Say(fmt.Sprintf("the agent does not see %s, a further directory of the session: it is confined (profile %s); %s would show it", dir, s.c.Profile, flagFor(dir, true)))
		}
	}
	return nil
}

// Hold implements acp.Confinement.
func (s *cell) Hold(r acp.Reaching) (permissions.Verdict, string) {
	verb := "read"
	if r.Write {
		verb = "write to"
	}
	held := func(why string) string {
		return fmt.Sprintf("the agent is confined (profile %s), %s", s.c.Profile, why)
	}
	if !r.Own && !filepath.IsAbs(r.Path) {
		return permissions.Reject, held("and an editor may take a path that is not absolute for any file")
	}
	seen := s.seen(r.Dir, r.Path)
	real, err := permissions.Resolve(r.Dir, r.Path)
	if err != nil && (s.reach.Of(seen).Read || strings.HasPrefix(seen, "/proc/")) {
		return permissions.Reject, held("and it cannot be told which file " + permissions.ShowLine(seen) + " is")
	}
	access := sandbox.Access{}
	if err == nil {
		access = s.reach.Of(real)
	}
	switch {
	case access.Write, access.Read && !r.Write:
		return permissions.Approve, ""
	case err == nil && r.Own && sandbox.IsPrivate(real):
		return permissions.Approve, "" // it has a /tmp of its own
	case access.Own:
		return permissions.Reject, held("and this is a file of a2a-acp itself")
	case access.Protected:
		return permissions.Ask, held("and others run or believe " + permissions.ShowLine(real) + " without a further look, so its sandbox does not let it change that")
	}
	// The agent reads this, so it tells nothing of what there is outside: of a file that exists, of one that does not, and of a
	// link, the same.
	at := seen
	if r.Write {
		at = filepath.Dir(seen)
	}
	switch what := sensitive.Delicate(seen); {
	case what != "":
		return permissions.Reject, held(fmt.Sprintf("and cannot %s %s, which %s", verb, permissions.ShowLine(seen), what))
	case !grantable(at):
		return permissions.Reject, held(fmt.Sprintf("and cannot %s %s", verb, permissions.ShowLine(seen)))
	default:
		return permissions.Reject, held(fmt.Sprintf("and cannot %s %s; a2a-acp bridge %s would let it", verb, permissions.ShowLine(seen), flagFor(at, r.Write)))
	}
}

// seen gives the name of a file as far as the agent can follow it: a link that it cannot read stays what it is called.
func (s *cell) seen(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	const mostLinks = 40 // path_resolution(7)
	at, rest := "/", strings.Split(filepath.Clean(path), "/")
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		target := ""
		if links < mostLinks && s.reach.Of(next).Read {
			target, _ = os.Readlink(next)
		}
		if target == "" {
			at = next
			continue
		}
		if links++; filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at
}

// grantable tells whether a path is one that a person would grant: not the root, nor what homes are in.
func grantable(path string) bool {
	home, err := os.UserHomeDir()
	return path != "/" && path != "/home" && path != "/root" && (err != nil || path != home && !strings.HasPrefix(home, path+"/"))
}

// flagFor gives the flag of the bridge's that grants a path.
func flagFor(path string, write bool) string {
	if !write {
		path += ":ro"
	}
	return "--allow " + shellWord(path)
}

// shellWord writes a word as a shell reads it back.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
