package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/internal/steering"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// Options is what a diagnosis takes from outside.
type Options struct {
	Version string
	Getenv  func(string) string // required
	Dir     string              // required: the current directory, absolute
	Sources config.Sources      // where the files of the configuration are found
	Confine confine.Options     // of trials of agents
}

// Diagnosis is what `a2a-acp doctor` finds out. Every property has been tried.
type Diagnosis struct {
	Version       string             `json:"version"`
	Machine       string             `json:"machine"`
	Sandbox       SandboxHealth      `json:"sandbox"`
	Missing       []Advice           `json:"missing"`
	State         Health             `json:"state"`
	Record        Health             `json:"record"`
	Configuration ConfigurationState `json:"configuration"`
	Bash          Health             `json:"bash"`
	Answers       AnswersHealth      `json:"answers"`
}

// AnswersHealth tells whether this program's caller is believed to be a person, whose answers count.
type AnswersHealth struct {
	OK      bool     `json:"ok"`
	Problem string   `json:"problem"`
	Confirm []string `json:"confirm,omitempty"` // the command that has to succeed first
}

// SandboxHealth is what this machine enforces.
type SandboxHealth struct {
	Level      string           `json:"level"`
	Why        string           `json:"why"` // the level is no higher
	Properties []PropertyHealth `json:"properties"`
}

// PropertyHealth is one property of the sandbox.
type PropertyHealth struct {
	Name     string `json:"name"`
	Meaning  string `json:"meaning"`
	Enforced bool   `json:"enforced"`
	By       string `json:"by"`    // what enforces it
	Proof    string `json:"proof"` // how that is known; or why it is not enforced
	Fix      string `json:"fix"`   // what would have it enforced; "" where it is, or nothing would
}

// Health is one thing that has to be there.
type Health struct {
	Path    string `json:"path"`
	OK      bool   `json:"ok"`
	Problem string `json:"problem"`
}

// ConfigurationState is what the configuration files are, together.
type ConfigurationState struct {
	OK       bool           `json:"ok"`
	Files    []string       `json:"files"`
	Problems yamldoc.Errors `json:"problems"`
	Commands *AddedCommands `json:"commands,omitempty"` // nil where the person has no such file
}

// AddedCommands is what a person's own commands.yaml adds to what is known: rows of programs and variables.
type AddedCommands struct {
	File      string `json:"file"`
	Programs  int    `json:"programs"`
	Variables int    `json:"variables"`
}

// Confines reports whether tools can run with their files confined.
func (d Diagnosis) Confines() bool {
	return sandbox.Level(d.Sandbox.Level).AtLeast(sandbox.LevelLandlock)
}

// Diagnose looks at everything that the program depends on. It changes nothing that stays, but for making the
// state directory, as any verb would.
func Diagnose(ctx context.Context, o Options) (d Diagnosis, err error) {
	d = Diagnosis{Version: o.Version, Missing: []Advice{}}
	d.Configuration = lookAtConfiguration(o)
	d.State = lookAtState(o)
	d.Record = lookAtRecord(d.State)
	d.Bash = lookAtBash()
	d.Answers = lookAtAnswers()
	// Weak, so that what works where files are not confined can be tried too.
	host, err := sandbox.Open(sandbox.Options{AllowWeak: true, Hidden: dirs.Dirs{Getenv: o.Getenv}.Own(),
		Protected: sensitive.Protected(), Judge: steering.New()})
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()

	self, _ := os.Executable() // only named in advice
	machine := Look(os.DirFS("/"), Machine{OS: runtime.GOOS, Root: os.Geteuid() == 0, Self: self})
	d.Machine = machine.Describe()
	level := host.Level()
	d.Sandbox = SandboxHealth{Level: string(level), Why: host.Why(), Properties: []PropertyHealth{}}
	enforced, _ := host.Properties(o.Dir)
	findings := Findings{
		Level: string(level), Namespaces: level.AtLeast(sandbox.LevelNoProc),
		OwnProc:  level.AtLeast(sandbox.LevelFull),
		Landlock: level.AtLeast(sandbox.LevelLandlock),
	}
	for _, proof := range host.Prove(ctx, o.Dir) {
		p := PropertyHealth{
			Name: string(proof.Property), Meaning: proof.Property.Meaning(), Enforced: proof.Enforced,
			Proof: proof.How,
		}
		if proof.Enforced {
			p.By = enforced[proof.Property]
		}
		switch proof.Property {
		case sandbox.PropertyMemory:
			findings.Memory = proof.Enforced
		case sandbox.PropertyProcesses:
			findings.Processes = proof.Enforced
		}
		d.Sandbox.Properties = append(d.Sandbox.Properties, p)
	}
	d.Missing = append(d.Missing, Advise(machine, findings)...)
	for i := range d.Sandbox.Properties {
		d.Sandbox.Properties[i].Fix = fixOf(d.Sandbox.Properties[i], d.Missing)
	}
	return d, ctx.Err()
}

// fixOf returns what would have a property enforced.
func fixOf(p PropertyHealth, missing []Advice) string {
	if p.Enforced {
		return ""
	}
	var fixes []string
	for _, advice := range missing {
		if slices.Contains(advice.Gives, p.Name) {
			fixes = append(fixes, advice.Fix)
		}
	}
	return strings.Join(fixes, "\n")
}

func lookAtState(o Options) Health {
	path, err := state.Locate(o.Getenv)
	if err == nil {
		_, err = state.Open(path)
	}
	return health(path, err)
}

// lookAtRecord looks at what every process looks at that opens the record; audit verify reads all of it.
func lookAtRecord(state Health) Health {
	if state.Path == "" {
		return health("", errors.New("there is no state directory that it could be in"))
	}
	dir := filepath.Join(state.Path, "audit")
	err := audit.Check(dir)
	if err != nil {
		err = fmt.Errorf("%w; a2a-acp audit verify says more", err)
	}
	return health(dir, err)
}

func lookAtAnswers() AnswersHealth {
	c, err := person.Find(dirs.System)
	if err == nil {
		err = c.Err()
	}
	if err != nil {
		return AnswersHealth{Problem: err.Error()}
	}
	return AnswersHealth{OK: true, Confirm: c.Confirm}
}

func lookAtBash() Health {
	path, err := exec.LookPath("bash")
	return health(path, err)
}

func health(path string, err error) Health {
	h := Health{Path: path, OK: err == nil}
	if err != nil {
		h.Problem = err.Error()
	}
	return h
}

func lookAtConfiguration(o Options) ConfigurationState {
	c := ConfigurationState{Files: []string{}, Problems: yamldoc.Errors{}}
	set, err := config.Load(o.Sources)
	if err != nil {
		c.Problems = yamldoc.List(err)
		return c
	}
	c.OK = true
	for _, file := range set.Files {
		c.Files = append(c.Files, file.Name)
	}
	c.Problems = append(c.Problems, set.Warnings...)
	for i := range set.Tools {
		c.Problems = append(c.Problems, config.CheckPaths(&set.Tools[i])...)
	}
	if set.Commands != nil {
		var added AddedCommands
		added.File, added.Programs, added.Variables = set.Commands.Rows()
		c.Commands = &added
	}
	return c
}
