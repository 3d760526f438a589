package config

import (
	"cmp"
	"fmt"
	"path/filepath"

	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/profile"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Agent is an agent that this program drives without an editor, from `agents:` of a settings file. Only a
// person's own files and root's have them: what a workspace brings is read for no settings at all.
type Agent struct {
	Name        string
	Title       string
	Description string
	Known       string   // an agent that the program knows, by its name; "" where Command says what to start
	Command     []string // nil where Known does
	Workspace   string   // the directory that it works in, absolute
	Confine     Confine
	Hooks       string // auto, on or off; as bridge --hooks
	Environment map[string]string
	References  map[string]tool.Reference // variables whose values stand elsewhere
	Login       string                    // the agent's name of the login that it is told to use; "" for none
	Protocol    int                       // the version of ACP that it is asked for
	IdleTimeout time.Duration
	Patience    time.Duration // how long a question may wait
	MaxRunning  int           // processes at once
	At          string        // where it stands: a2a-acp.yaml:12
}

// Confine is the sandbox that an agent is to be in. The zero Confine is none.
type Confine struct {
	Profile    string // OwnProfile for the one of the agent's name
	Allow      []tool.AllowedPath
	BestEffort bool
}

// OwnProfile stands for the profile that has the name of the agent.
const OwnProfile = "auto"

// What an agent has that says nothing else.
const (
	defaultIdle       = 10 * time.Minute
	defaultPatience   = 24 * time.Hour
	defaultMaxRunning = 8
)

// DefaultAgent returns an agent that says nothing but its name.
func DefaultAgent(name string) Agent {
	return Agent{Name: name, Hooks: "auto", Protocol: 1, IdleTimeout: defaultIdle, Patience: defaultPatience,
		MaxRunning: defaultMaxRunning}
}

// agentName is what an agent may be called: its name is a part of URLs.
var agentName = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// readAgents reads the agents of a settings file. One of the name of an agent of an earlier file takes its
// place.
func (s *Settings) readAgents(v yamldoc.Value) {
	if !v.IsMapping() && !v.IsEmpty() {
		v.Mismatch("", "write each as NAME: and its keys below it")
		return
	}
	entries, _ := v.Entries()
	all := slices.Clone(s.Agents) // those before are another Settings', too
	for _, entry := range entries {
		if !agentName.MatchString(entry.Name) {
			entry.Key.Fail(yamldoc.RuleValue, "", "an agent's name has small letters, digits, - and _; found %s",
				yamldoc.Quote(entry.Name))
			continue
		}
		agent := DefaultAgent(entry.Name)
		agent.At = fmt.Sprintf("%s:%d", v.Doc.File, entry.Key.Node.Line)
		if yamldoc.ReadKeys(entry.Value, agentMapping(), &agent) {
			agent.check(entry.Value, entry.Key)
		}
		all = slices.DeleteFunc(all, func(other Agent) bool { return other.Name == agent.Name })
		all = append(all, agent)
	}
	slices.SortFunc(all, func(a, b Agent) int { return cmp.Compare(a.Name, b.Name) })
	s.Agents = all
}

func agentMapping() yamldoc.Mapping[*Agent] {
	return yamldoc.Mapping[*Agent]{
		Name: "an agent",
		Synonyms: map[string]string{"env": "environment", "environmentvariables": "environment", "cwd": "workspace", "dir": "workspace",
			"directory": "workspace", "workingdirectory": "workspace", "sandbox": "confine", "cmd": "command", "idle": "idle_timeout",
			"name": "title", "maxprocesses": "max_running"},
		Keys: []yamldoc.Key[*Agent]{
			yamldoc.NewKey("agent", "the name of an agent that a2a-acp knows", func(a *Agent, v yamldoc.Value) {
				v.OneOf(knownAgents(), func(name string) { a.Known = name })
			}),
			yamldoc.NewKey("command", "a list: the program and its arguments", (*Agent).readCommand),
			yamldoc.NewKey("title", "a text", func(a *Agent, v yamldoc.Value) { v.SetText(&a.Title) }),
			yamldoc.NewKey("description", "a text", func(a *Agent, v yamldoc.Value) { v.SetText(&a.Description) }),
			yamldoc.NewKey("workspace", "an absolute path", func(a *Agent, v yamldoc.Value) { readAbsolute(v, &a.Workspace) }),
			yamldoc.NewKey("confine", "true, false, the name of a profile, or a mapping", (*Agent).readConfine),
			yamldoc.NewKey("hooks", "auto, on or off", func(a *Agent, v yamldoc.Value) {
				v.OneOf([]string{"auto", "on", "off"}, func(use string) { a.Hooks = use })
			}),
			yamldoc.NewKey("environment", "a mapping of names to texts", func(a *Agent, v yamldoc.Value) {
				a.Environment, a.References = readVariables(v, refusedForAgents)
			}),
			yamldoc.NewKey("login", "a text", func(a *Agent, v yamldoc.Value) { v.SetText(&a.Login) }),
			yamldoc.NewKey("protocol", "1 or 2", func(a *Agent, v yamldoc.Value) {
				if n, ok := v.Int(1, 2); ok {
					a.Protocol = int(n)
				}
			}),
			yamldoc.NewKey("idle_timeout", "seconds, or a duration such as 10m", func(a *Agent, v yamldoc.Value) {
				v.SetDuration(&a.IdleTimeout, 30*24*time.Hour)
			}),
			yamldoc.NewKey("patience", "seconds, or a duration such as 10m", func(a *Agent, v yamldoc.Value) {
				v.SetDuration(&a.Patience, 30*24*time.Hour)
			}),
			yamldoc.NewKey("max_running", "a whole number of processes", func(a *Agent, v yamldoc.Value) {
				if n, ok := v.Int(1, 1000); ok {
					a.MaxRunning = int(n)
				}
			}),
		},
	}
}

// knownAgents lists the agents that need no command.
func knownAgents() (names []string) {
	for _, agent := range agents.Known() {
		names = append(names, agent.Name)
	}
	return names
}

// refusedForAgents says why a variable cannot be set for an agent.
func refusedForAgents(name string) string {
	if strings.HasPrefix(name, "A2A_") {
		return "it is this program's own, and agents get none of these"
	}
	return ""
}

// check looks at what keys say together.
func (a *Agent) check(v, key yamldoc.Value) {
	switch {
	case !v.Has("agent") && !v.Has("command"):
		known := "gemini"
		if _, ok := agents.ByName(a.Name); ok {
			known = a.Name
		}
		key.Fail(yamldoc.RuleMissing, "write agent: "+known+", or command: [a program, its arguments]",
			"agent %s: what is to be started is missing", a.Name)
	case v.Has("agent") && v.Has("command"):
		at, _ := v.Get("agent")
		at.Fail(yamldoc.RuleValue, "keep the one that is meant", "agent and command both say what is to be started")
	case a.Confine.Profile == OwnProfile && !v.Has("agent"):
		at, _ := v.Get("confine")
		at.Fail(yamldoc.RuleValue, "name one: confine: terminal; a2a-acp sandbox exec --help lists them",
			"there is no profile of its own for a command")
	}
}

func (a *Agent) readCommand(v yamldoc.Value) {
	command, ok := v.Texts()
	switch {
	case !ok:
	case len(command) == 0 || command[0] == "":
		v.Fail(yamldoc.RuleValue, "", "want a program and its arguments, as [gemini, --acp]; found none")
	case strings.Contains(command[0], "/") && !filepath.IsAbs(command[0]):
		v.Fail(yamldoc.RuleValue, "write its whole path",
			"want a name that is found in PATH, or an absolute path; found %s", yamldoc.Quote(command[0]))
	default:
		a.Command = command
	}
}

func (a *Agent) readConfine(v yamldoc.Value) {
	switch {
	case v.IsMapping():
		a.Confine.Profile = OwnProfile
		yamldoc.ReadKeys(v, confineMapping(), &a.Confine)
	case v.Node.Tag == "!!bool":
		if on, ok := v.Bool(); ok && on {
			a.Confine.Profile = OwnProfile
		}
	default:
		readProfile(&a.Confine, v)
	}
}

func confineMapping() yamldoc.Mapping[*Confine] {
	return yamldoc.Mapping[*Confine]{
		Name: "confine",
		Keys: []yamldoc.Key[*Confine]{
			yamldoc.NewKey("profile", "the name of a profile", readProfile),
			yamldoc.NewKey("allow", "a list of paths", readAllow),
			yamldoc.NewKey("best_effort", "true or false", func(c *Confine, v yamldoc.Value) { v.SetBool(&c.BestEffort) }),
		},
	}
}

func readProfile(c *Confine, v yamldoc.Value) {
	name, ok := v.Text()
	if !ok {
		return
	}
	if _, err := profile.Named(name); err != nil && name != OwnProfile {
		v.Fail(yamldoc.RuleValue, "a2a-acp sandbox exec --help says what each grants", "%v", err)
		return
	}
	c.Profile = name
}

func readAllow(c *Confine, v yamldoc.Value) {
	items, _ := v.List(allowedPathsWant)
	for _, item := range items {
		var allowed tool.AllowedPath
		if item.IsMapping() {
			if !yamldoc.ReadKeys(item, allowedPathMapping(), &allowed) || !item.Require("path", "path: /srv/data") {
				continue
			}
		} else if path, ok := readPath(item); ok {
			allowed.Path = path
		}
		if allowed.Path != "" && !filepath.IsAbs(allowed.Path) {
			item.Fail(yamldoc.RuleValue, "", "want an absolute path, found %s", yamldoc.Quote(allowed.Path))
			continue
		}
		c.Allow = append(c.Allow, allowed)
	}
}

// readAbsolute reads an absolute path.
func readAbsolute(v yamldoc.Value, into *string) {
	path, ok := readPath(v)
	switch {
	case !ok:
	case !filepath.IsAbs(path):
		v.Fail(yamldoc.RuleValue, "", "want an absolute path, found %s", yamldoc.Quote(path))
	default:
		*into = filepath.Clean(path)
	}
}
