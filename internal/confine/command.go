package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/profile"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Confinement says how an agent is shut in. The zero Confinement does not shut it in.
type Confinement struct {
	Profile     string             // by name
	Allow       []tool.AllowedPath // beside what the profile grants, absolute
	Environment []string           // likewise: names of variables that are passed on
	BestEffort  bool               // also where the machine cannot confine it whole
	Hidden      []string           // what it never sees, whatever it is granted; absolute
}

// On reports whether there is one.
func (c Confinement) On() bool { return c.Profile != "" }

// Command returns the command that starts an agent in the sandbox: self, this program, again, so that the
// agent's whole tree has an owner of its own.
func (c Confinement) Command(o Options, self string, agent []string) ([]string, error) {
	inside, err := c.exec(o, self, "", agent)
	if err != nil {
		return nil, err
	}
	return inside.words(self), nil
}

// exec returns the agent as a command in the sandbox. It can run this program, and reach us through the
// sockets in doors, "" for none.
func (c Confinement) exec(o Options, self, doors string, agent []string) (ExecOptions, error) {
	program, err := exec.LookPath(agent[0])
	if err != nil {
		return ExecOptions{}, fmt.Errorf("start the agent: %w", err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return ExecOptions{}, err
	}
	e := ExecOptions{
		Options: o, Profile: c.Profile, BestEffort: c.BestEffort, Environment: c.Environment,
		Require: []string{string(sandbox.PropertyFiles), string(sandbox.PropertyTree)},
		AtLeast: string(sandbox.LevelFull),
	}
	for _, path := range append(AgentFiles(program, agent), self) {
		e.Allow = append(e.Allow, tool.AllowedPath{Path: path, ReadOnly: true})
	}
	e.Allow = append(e.Allow, c.Allow...)
	if doors != "" {
		e.Sockets = []string{doors}
	}
	e.Hidden = append(e.Hidden, c.Hidden...)
	e.Hidden = append(e.Hidden, o.dirs().Own()...) // it knows nothing of our variables, so it could not find out
	// Under its real name: the links that lead there are not in the sandbox.
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	e.Command = append([]string{program}, agent[1:]...)
	return e, nil
}

// words returns the command line that makes this program do what the options of an agent say.
func (o ExecOptions) words(self string) []string {
	words := []string{self, "sandbox", "exec", "--profile", o.Profile, "--at-least", o.AtLeast}
	add := func(flag string, values ...string) {
		for _, value := range values {
			words = append(words, flag, value)
		}
	}
	add("--require", o.Require...)
	add("--socket", o.Sockets...)
	for _, allowed := range o.Allow {
		if allowed.ReadOnly {
			allowed.Path += ":ro"
		}
		add("--allow", allowed.Path)
	}
	add("--env", o.Environment...)
	add("--hide", o.Hidden...)
	add("--keep", o.elsewhere()...)
	if o.BestEffort {
		words = append(words, "--best-effort")
	}
	return append(append(words, "--"), o.Command...)
}

// elsewhere lists what of Kept is there, and not hidden anyway.
func (o ExecOptions) elsewhere() []string {
	var hidden, list []string
	for _, path := range o.Hidden {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			hidden = append(hidden, real)
		}
	}
	for _, path := range o.Kept {
		real, err := filepath.EvalSymlinks(path)
		in := func(dir string) bool { return real == dir || strings.HasPrefix(real, dir+"/") }
		if err == nil && !slices.Contains(list, real) && !slices.ContainsFunc(hidden, in) {
			list = append(list, real)
		}
	}
	return list
}

// AgentFiles lists what has to be readable for an agent to start: its program, and the script where that is
// an interpreter of scripts, as Zed starts the agents that it has installed. Further arguments are not
// looked at: a login's are the agent's own choice.
func AgentFiles(program string, agent []string) []string {
	files := programFiles(program)
	if name := strings.TrimRight(filepath.Base(program), "0123456789."); !command.In(command.StartersOfAgents,
		name) {
		return files
	}
	for _, word := range agent[1:] {
		if strings.HasPrefix(word, "-") {
			continue
		}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() && filepath.IsAbs(word) {
			for _, file := range programFiles(word) {
				if !slices.Contains(files, file) {
					files = append(files, file)
				}
			}
		}
		break
	}
	return files
}

// SameFiles reports whether a command needs no more files to start than an agent's.
func SameFiles(command, agent []string) bool {
	program, err1 := exec.LookPath(command[0])
	own, err2 := exec.LookPath(agent[0])
	if err1 != nil || err2 != nil {
		return false
	}
	files := AgentFiles(own, agent)
	return !slices.ContainsFunc(AgentFiles(program, command), func(file string) bool {
		return !slices.Contains(files, file)
	})
}

// programFiles lists what has to be readable for a program to start: itself, and where it is one of npm's
// packages, the packages that it was installed with.
func programFiles(program string) []string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return []string{program}
	}
	const packages = "/node_modules/"
	if i := strings.Index(real, packages); i >= 0 {
		return []string{real[:i+len(packages)-1]}
	}
	return []string{real}
}

// Variables returns the names of the variables that reach an agent.
func (c Confinement) Variables() []string {
	var names []string
	if p, err := profile.Named(c.Profile); err == nil {
		names = append(names, p.Environment...)
	}
	for _, variable := range c.Environment {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	return names
}
