package confine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/profile"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/steering"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Options is what every command takes from outside.
type Options struct {
	Getenv func(string) string // required
	Dir    string              // required: the current directory, absolute
	Say    func(line string)   // required: one line for the person
	// ToolProfile returns what the sandbox of a tool grants a command that starts in dir; required for
	// ExecOptions.Tool.
	ToolProfile func(id, dir string) (sandbox.Profile, error)
	// Kept are the files that this program believes elsewhere than in its directories, absolute: no command changes them,
	// unless it is granted one by its own name.
	Kept []string
}

func (o Options) dirs() dirs.Dirs { return dirs.Dirs{Getenv: o.Getenv} }

// ExecOptions is what a command in the sandbox takes from outside. What is given beside a profile or a tool
// adds to it.
type ExecOptions struct {
	Options
	Command []string // required
	Stdio   []*os.File
	Signals <-chan os.Signal // what this program is told to do, and with it the command

	Profile string // by name; "" is the default one
	Tool    string // the id of a tool whose sandbox it is to be, in place of a profile
	StartIn string // "" is Dir

	Allow       []tool.AllowedPath // absolute
	Network     bool
	Sockets     []string // absolute
	Environment []string // NAME, with our value, or NAME=VALUE
	Limits      []func(*tool.Limits)
	Require     []string
	BestEffort  bool
	AtLeast     string   // refuse below this level, unless BestEffort
	Level       string   // no higher than
	Hidden      []string // further files that it never sees, absolute

	Ticket string // one of a bridge's, in place of everything else; see ticket.go
}

// Exec runs a command in the sandbox and gives its exit code: 128+n after signal n. With an error nothing
// ran, and the code is ours.
func Exec(ctx context.Context, o ExecOptions) (code int, err error) {
	if o.Ticket != "" {
		return redeem(ctx, o)
	}
	e := &execution{o: o}
	if err := e.settle(); err != nil {
		return exit.Usage, err
	}
	return e.start(ctx)
}

// start runs the command that was settled.
func (e *execution) start(ctx context.Context) (code int, err error) {
	if e.host, err = sandbox.Open(e.hostOptions()); err != nil {
		return exit.Host, err
	}
	defer func() { err = errors.Join(err, e.host.Close()) }()
	plan, err := e.host.Plan(e.profile)
	if err != nil {
		return codeOfPlan(err), err
	}
	if err := e.refuse(plan.Level()); err != nil {
		return exit.Host, err
	}
	if !plan.Level().AtLeast(sandbox.LevelNoProc) {
		e.o.Say(fmt.Sprintf("this machine reaches sandbox level %s only; a2a-acp doctor says what is missing",
			plan.Level()))
	}
	return e.run(ctx, plan)
}

// refuse says no where the machine confines less than was asked for.
func (e *execution) refuse(level sandbox.Level) error {
	if least := sandbox.Level(e.o.AtLeast); least != "" && !level.AtLeast(least) && !e.o.BestEffort {
		return fmt.Errorf("this machine reaches sandbox level %s only, and %s is required: %s; "+
			"a2a-acp doctor says what is missing, --best-effort starts it anyway", level, least, e.host.Why())
	}
	return nil
}

// execution is one command on its way through the sandbox.
type execution struct {
	o       ExecOptions
	profile sandbox.Profile
	program string // what Command[0] is, absolute
	host    *sandbox.Host
}

// settle finds out what the command is and what it may do. An error is the person's.
func (e *execution) settle() error {
	if len(e.o.Command) == 0 {
		return errors.New("which command? a2a-acp sandbox exec -- COMMAND")
	}
	for flag, level := range map[string]string{"level": e.o.Level, "at-least": e.o.AtLeast} {
		if level != "" && !slices.Contains(sandbox.Levels(), sandbox.Level(level)) {
			return fmt.Errorf("--%s %s: want one of %v", flag, level, sandbox.Levels())
		}
	}
	dir := e.o.StartIn
	if dir == "" {
		dir = e.o.Dir
	}
	// Without links: the way to it may lead through what the command does not see.
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("start directory: %w", err)
	}
	e.profile = sandbox.Profile{Dir: dir, Environment: map[string]string{}, Terminal: anyTerminal(e.o.Stdio),
		Pty: true}
	if e.o.Tool != "" {
		err = e.useTool()
	} else {
		err = e.useProfile()
	}
	if err != nil {
		return err
	}
	if err := e.useFlags(); err != nil {
		return err
	}
	path, ok := e.profile.Environment["PATH"]
	if !ok {
		path = sandbox.SearchPath
	}
	e.program, err = sandbox.LookPath(e.o.Command[0], path, dir)
	return err
}

// useProfile takes what a profile grants, as far as it is there.
func (e *execution) useProfile() error {
	name := e.o.Profile
	if name == "" {
		name = profile.Default
	}
	p, err := profile.Named(name)
	if err != nil {
		return err
	}
	e.profile.Network, e.profile.Limits = p.Network, p.Limits
	for _, variable := range p.Environment {
		if value := e.o.Getenv(variable); value != "" {
			e.profile.Environment[variable] = value
		}
	}
	maps.Copy(e.profile.Environment, p.Settings(e.profile.Dir, e.o.Getenv))
	getenv := e.realDirs
	for _, dir := range p.StateDirs(e.profile.Dir, getenv) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the command's own directory: %w", err)
		}
		e.profile.Own = append(e.profile.Own, dir)
	}
	ordinary := p.Paths(e.profile.Dir, accountsDirs)
	for _, path := range p.Paths(e.profile.Dir, getenv) {
		if real, err := filepath.EvalSymlinks(path.Path); err == nil && path.Path != e.profile.Dir && e.o.dirs().HoldsHome(real) {
			return fmt.Errorf("profile %s grants %s, as HOME or one of the XDG variables says: that is everything you have, "+
				"keys and all; set them to other directories", p.Name, path.Path)
		}
		if path.Path == e.profile.Dir && e.o.dirs().Workspace(path.Path, nil).Root == "" {
			return fmt.Errorf("profile %s grants the directory that the command starts in, and %s holds more than a project; "+
				"start in a project, or name one with --dir", p.Name, path.Path)
		}
		if _, err := os.Lstat(path.Path); err != nil {
			continue
		}
		if why := e.misled(path, ordinary); why != "" {
			e.o.Say(fmt.Sprintf("profile %s does not grant %s: %s; %s grants it", p.Name, path.Path, why,
				flagFor(path.Path, !path.ReadOnly)))
			continue
		}
		e.profile.AllowedPaths = append(e.profile.AllowedPaths, path)
	}
	return nil
}

// misled says why a path of a profile is not what the profile means by it: HOME and the XDG variables may be
// of a repository's choice (direnv sets them), and so may what lies where they lead. ordinary are the paths
// where no variable says otherwise; links there are the person's own.
func (e *execution) misled(path tool.AllowedPath, ordinary []tool.AllowedPath) string {
	if path.Path == e.profile.Dir || slices.Contains(ordinary, path) {
		return ""
	}
	cache := filepath.Join(e.realDirs("HOME"), ".cache")
	if path.Path == e.realDirs("XDG_CACHE_HOME") && path.Path != cache &&
		!strings.HasPrefix(path.Path, cache+"/") {
		return "XDG_CACHE_HOME alone says that it is a cache"
	}
	if real, err := filepath.EvalSymlinks(path.Path); err != nil || real != path.Path {
		return "it is a link, and not in the home of our account"
	}
	return ""
}

// realDirs returns a variable; one that names a directory without the links that lead there.
func (e *execution) realDirs(name string) string {
	value := e.o.Getenv(name)
	if real, err := filepath.EvalSymlinks(value); filepath.IsAbs(value) && err == nil {
		return real
	}
	return value
}

// accountsDirs returns the variables that say where directories are as they are for our account where
// nobody sets any.
func accountsDirs(name string) string {
	if name != "HOME" {
		return ""
	}
	home := dirs.AccountHome()
	if real, err := filepath.EvalSymlinks(home); home != "" && err == nil {
		return real
	}
	return home
}

// useTool takes what a tool's entry grants.
func (e *execution) useTool() error {
	p, err := e.o.ToolProfile(e.o.Tool, e.profile.Dir)
	if err != nil {
		return err
	}
	if e.o.StartIn != "" {
		p.Dir, p.TempIsolation = e.profile.Dir, false
	}
	p.Environment, p.Sockets = maps.Clone(p.Environment), slices.Clone(p.Sockets)
	if p.Environment == nil {
		p.Environment = map[string]string{}
	}
	p.Terminal, p.Pty = e.profile.Terminal, e.profile.Pty
	e.profile = p
	return nil
}

// useFlags adds what was asked for by name.
func (e *execution) useFlags() error {
	p := &e.profile
	for _, allowed := range e.o.Allow {
		if err := e.check(allowed); err != nil {
			return err
		}
		p.AllowedPaths = append(p.AllowedPaths, allowed)
	}
	if e.o.Network {
		p.Network = tool.NetworkOn
	}
	p.Sockets = append(p.Sockets, e.o.Sockets...)
	if term := e.o.Getenv("TERM"); p.Terminal && term != "" {
		p.Environment["TERM"] = term
	}
	for _, variable := range e.o.Environment {
		name, value, given := strings.Cut(variable, "=")
		if !given {
			value = e.o.Getenv(name)
		}
		p.Environment[name] = value
	}
	for _, set := range e.o.Limits {
		set(&p.Limits)
	}
	for _, property := range e.o.Require {
		if !slices.Contains(sandbox.Properties(), sandbox.Property(property)) {
			return fmt.Errorf("--require %s: want some of %v", property, sandbox.Properties())
		}
		p.Require = append(p.Require, sandbox.Property(property))
	}
	p.BestEffort = p.BestEffort || e.o.BestEffort
	return nil
}

// check refuses to grant what would undo the sandbox, and what is a slip.
func (e *execution) check(allowed tool.AllowedPath) error {
	real, err := filepath.EvalSymlinks(allowed.Path)
	if err != nil {
		return fmt.Errorf("--allow: %w", err)
	}
	if e.o.dirs().HoldsHome(real) {
		return fmt.Errorf("--allow %s: that is everything you have, keys and all; "+
			"name what is in it, or start without a sandbox", allowed.Path)
	}
	return nil
}

// hostOptions keeps our own files away from the command, and what others run from being changed.
func (e *execution) hostOptions() sandbox.Options {
	own := e.o.dirs().Own()
	withheld := slices.DeleteFunc(slices.Clone(e.o.Hidden), func(path string) bool { return slices.Contains(own, path) })
	return sandbox.Options{
		Level: sandbox.Level(e.o.Level), AllowWeak: e.profile.BestEffort,
		Hidden: append(own, withheld...), Withheld: withheld, Kept: e.o.Kept, Protected: sensitive.Protected(), Judge: steering.New(),
		Notes: e.o.dirs().Notes(),
	}
}

// run carries the command out. The terminal is the command's meanwhile, and as before when it has ended.
func (e *execution) run(ctx context.Context, plan sandbox.Plan) (int, error) {
	restore := holdTerminals(e.o.Stdio)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	told := e.relay(cancel)
	argv := append([]string{e.program}, e.o.Command[1:]...)
	outcome, err := e.host.Run(ctx, plan, sandbox.Process{Argv: argv, Stdio: e.o.Stdio})
	by := told()
	restore(outcome)
	var start *sandbox.StartError
	if errors.As(err, &start) {
		return exit.Host, e.explain(start)
	}
	for _, line := range e.account(outcome) {
		e.o.Say(line)
	}
	if err != nil {
		e.o.Say(err.Error())
	}
	switch {
	case outcome.TimedOut:
		return exit.Timeout, nil
	case outcome.Cancelled && by != 0 && (outcome.ExitCode < 0 || outcome.Signal != ""):
		// It was we who ended it, since it would have died of that signal anywhere else.
		return 128 + int(by), nil
	}
	return outcome.ExitCode, nil
}

// account says what happened beside the command's own doing, a line each.
func (e *execution) account(outcome sandbox.Outcome) []string {
	var lines []string
	for _, limit := range outcome.LimitsHit {
		lines = append(lines, fmt.Sprintf("the command ran into its limit on %s (%s); --%s sets another, 0 none",
			limit, limitOf(e.profile.Limits, limit), flagOf(limit)))
	}
	lines = append(append(lines, outcome.Hints...), outcome.Changed...)
	if outcome.Killed > 0 && !outcome.Cancelled && !outcome.TimedOut {
		lines = append(lines, fmt.Sprintf("still running when the command ended, and ended with it: %d of its processes",
			outcome.Killed))
	}
	if outcome.Lost > 0 {
		lines = append(lines, fmt.Sprintf("could not be ended and may still run: %d of its processes",
			outcome.Lost))
	}
	if outcome.Leftover != "" {
		lines = append(lines, "temporary files could not be removed: "+outcome.Leftover)
	}
	return lines
}

// flagOf returns the flag of a limit.
func flagOf(limit string) string { return strings.ReplaceAll(limit, "_", "-") }

func limitOf(l tool.Limits, limit string) string {
	size := func(n int64) string {
		if n >= 1<<20 && n%(1<<20) == 0 {
			return fmt.Sprintf("%d MB", n>>20)
		}
		return fmt.Sprintf("%d bytes", n)
	}
	switch limit {
	case "timeout":
		return l.Timeout.String()
	case "cpu":
		return l.CPU.Round(time.Second).String()
	case "memory":
		return size(l.Memory)
	case "address_space":
		return size(l.Addresses)
	case "file_size":
		return size(l.FileSize)
	case "temp_size":
		return size(l.TempSize)
	case "open_files":
		return fmt.Sprint(l.OpenFiles)
	case "processes":
		return fmt.Sprint(l.Processes)
	}
	return "?"
}

// explain tells of a program that is there, but not in the sandbox.
func (e *execution) explain(start *sandbox.StartError) error {
	if start.Step == "execve" && errors.Is(start, os.ErrNotExist) {
		return fmt.Errorf("%s is not seen in the sandbox; --allow %s:ro shows it: %w", e.program,
			filepath.Dir(e.program), start)
	}
	return start
}

// codeOfPlan returns the exit code of a plan that was refused: what this machine cannot do, or what nobody
// could.
func codeOfPlan(err error) int {
	var failure *tool.Failure
	if errors.As(err, &failure) {
		return exit.Host
	}
	return exit.Usage
}
