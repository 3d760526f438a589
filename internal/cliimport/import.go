package cliimport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Request says what to make tools of.
type Request struct {
	Program  Program
	Import   config.Import // selectors, prefix, grants, pin
	Commands *catalogue.Catalogue
	Progress func(commands int) // called with how many more have been found; optional
	Patience time.Duration      // how long one answer may take; optional, default 5 s
	// Spec is a carapace spec (https://carapace-sh.github.io/carapace-spec/), which counts in place of what the program
	// answers; optional. Else is one, of the file ElseFile, for a program that answers no __complete.
	Spec, Else []byte
	ElseFile   string
}

// Made is what has been made of a program.
type Made struct {
	Import config.Import // with what was found: hash, version, tools
	Tools  []Tool
	Left   []Left
	// Own is set where the program itself says what its commands are as tools (`mcp tools`), and OwnWhy is why that does
	// not count.
	Own    bool
	OwnWhy string
	// Draft says whose word the tools are where nothing was tried; "" where the program was asked.
	Draft string
	// What was looked at.
	Commands, Flags, Asked int
	Took                   time.Duration
}

// Tool is one of the tools.
type Tool struct {
	tool.Tool
	Command    string            // as a person types it
	Doubts     map[string]string // by parameter: what a person should look at
	ReachesOut bool              // the program says that it does (openWorldHint)
}

// Left is a command, or a flag of one, of which nothing was made.
type Left struct{ Command, Flag, Why string }

// Make asks the program in the sandbox, and makes tools of the commands that are selected.
func Make(ctx context.Context, host Host, r Request) (*Made, error) {
	began := time.Now()
	if r.Patience == 0 {
		r.Patience = longestAnswer
	}
	a, err := newAsker(host, r.Program, r.Patience)
	if err != nil {
		return nil, err
	}
	m := &maker{Request: r, a: a, made: &Made{Import: r.Import}}
	if err := m.make(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Program.Path, err)
	}
	if !r.Program.same() {
		return nil, fmt.Errorf("%s was replaced while it was asked: nothing is made of it", r.Program.Path)
	}
	m.made.Asked, m.made.Took = int(a.asked.Load()), time.Since(began)
	return m.made, nil
}

// maker makes tools of a program.
type maker struct {
	Request
	a    Asker
	made *Made
	// listed is set if the commands of a draft are those of a list of the program's own; see listedElsewhere.
	listed bool
}

func (m *maker) make(ctx context.Context) error {
	if m.Spec != nil {
		return m.draft(ctx, "")
	}
	first, err := complete(ctx, m.a, "")
	if err != nil {
		return err
	}
	if first.ended && m.Else == nil {
		return errors.New(first.why)
	}
	if !first.ok {
		if m.Spec = m.Else; m.Spec != nil {
			m.made.Import.Spec = m.ElseFile
		}
		return m.draft(ctx, first.why)
	}
	rootFlags, err := complete(ctx, m.a, "--")
	if err != nil {
		return err
	}
	m.made.Import.SHA256 = m.Program.SHA256
	m.made.Import.Version = askVersion(ctx, m.a, rootFlags)
	own, why, err := askOwn(ctx, m.a, first)
	if err != nil {
		return err
	}
	m.made.Own, m.made.OwnWhy = len(own) > 0, why
	w := &walker{a: m.a, only: m.mayHold, progress: m.Progress, read: readCobra,
		list: func(ctx context.Context, path []string, _ string) (offers, error) {
			return complete(ctx, m.a, append(slices.Clone(path), "")...)
		}}
	root, err := w.walk(ctx)
	if err != nil {
		return err
	}
	matchOwn(own, root)
	for _, why := range w.skipped {
		m.leave(root, "", why)
	}
	if err := m.findFlags(ctx, root); err != nil {
		return err
	}
	return m.makeTools(root)
}

// readCobra reads the help of a program of Cobra's.
func readCobra(c *command, answer Answer) string {
	c.help = readHelp(answer.Stdout)
	return answer.Stdout
}

// mayHold reports whether a command, or one below it, may be selected: where every selector names the commands that it
// allows, and none of them begins with this one, none is looked at.
func (m *maker) mayHold(path []string) bool {
	if len(m.Import.Selectors) == 0 {
		return true
	}
	words := strings.Join(append([]string{m.Program.Name}, path...), " ")
	return slices.ContainsFunc(m.Import.Selectors, func(s config.Selector) bool {
		if excluded := (config.Selector{AllowCmds: s.ExcludeCmds}); len(s.ExcludeCmds) > 0 && excluded.Matches(words+" x", false) {
			return false
		}
		return len(s.AllowCmds) == 0 || slices.ContainsFunc(s.AllowCmds, func(allowed string) bool {
			fixed, _, isGlob := strings.Cut(allowed, "*")
			return strings.HasPrefix(allowed+" ", words+" ") || isGlob && strings.HasPrefix(words, strings.TrimRight(fixed, " "))
		})
	})
}

// findFlags finds the flags of the commands that become tools, several at once.
func (m *maker) findFlags(ctx context.Context, root *command) error {
	p := &prober{a: m.a, wants: func(c *command, f *flag) string {
		s, _ := m.selectorOf(c)
		return unwanted(s, f, c.own)
	}}
	var work sync.WaitGroup
	var visit func(c *command, above map[string]string)
	visit = func(c *command, above map[string]string) {
		if c.left == notCommand {
			return
		}
		m.made.Commands++
		if c.left == "" {
			c.left = m.leftOut(c)
		}
		if c.left == "" {
			work.Go(func() { c.err = p.find(ctx, c, above) }) // ends with the command's flags
		}
		if len(c.below) == 0 {
			return
		}
		with := map[string]string{}
		for name, about := range above {
			with[name] = about
		}
		if offered, err := complete(ctx, m.a, append(slices.Clone(c.path), "--")...); err == nil {
			for _, one := range offered.list {
				with[strings.TrimPrefix(one.word, "--")] = one.about
			}
		}
		for _, below := range c.below {
			visit(below, with)
		}
	}
	visit(root, map[string]string{})
	work.Wait()
	var failed error
	root.each(func(c *command) {
		if c.err != nil && c.left == "" {
			c.left = "its flags: " + c.err.Error()
			failed = c.err
		}
	})
	if failed != nil && ctx.Err() != nil {
		return failed
	}
	return nil
}

// onlyGroup says that a command is none by itself.
const onlyGroup = "it is called with a command below it"

// leftOut says why no tool is made of a command; "" where one is.
func (m *maker) leftOut(c *command) string {
	s, selected := m.selectorOf(c)
	named := slices.Contains(s.AllowCmds, c.words(m.Program.Name))
	switch {
	case c.own == nil && c.group() && !c.help.calls():
		return onlyGroup
	case !selected:
		return "it is not selected"
	case m.made.Own && c.own == nil && !named:
		return "the program offers it to no MCP client itself; name it to have it"
	case c.runsOther() && !named:
		return "it runs what its arguments say; name it to have it"
	}
	return ""
}

func (m *maker) leave(c *command, flag, why string) {
	m.made.Left = append(m.made.Left, Left{c.words(m.Program.Name), flag, why})
}

// makeTools makes a tool of each command that is left.
func (m *maker) makeTools(root *command) error {
	names := &toolyaml.Names{}
	prefix := m.Import.Prefix
	if prefix == "" {
		prefix = m.Program.Name
	}
	root.each(func(c *command) {
		if c.left == "" {
			c.left = missing(c)
		}
		if c.left != "" {
			m.leave(c, "", c.left)
			return
		}
		made := m.tool(names.Of(prefix, c.path), c)
		m.made.Tools = append(m.made.Tools, made)
		m.made.Import.Tools = append(m.made.Import.Tools, made.ID)
	})
	if len(m.made.Tools) == 0 {
		return m.nothing()
	}
	return nil
}

// missing says that a command cannot be called without what is left out.
func missing(c *command) string {
	for _, f := range c.flags {
		if f.required && f.left != "" {
			return fmt.Sprintf("it requires --%s, and that is left out: %s", f.name, f.left)
		}
	}
	return ""
}

// nothing says why there is no tool, and what there is.
func (m *maker) nothing() error {
	const most = 6
	var whys []string
	for _, left := range m.made.Left {
		if left.Flag == "" && left.Why != "it is not selected" && len(whys) < most {
			whys = append(whys, left.Command+": "+left.Why)
		}
	}
	return fmt.Errorf("no command is selected; %s", strings.Join(append(whys, "a2a-acp import cli --help says how to select"), "; "))
}

// tool makes the tool of a command.
func (m *maker) tool(id string, c *command) Tool {
	t := Tool{Command: c.words(m.Program.Name), Doubts: map[string]string{}}
	t.ID, t.Name = id, t.Command
	texts := []string{c.help.long, c.short, t.Command}
	if c.own != nil {
		texts = append([]string{c.own.Description}, texts...)
	}
	for _, about := range texts {
		if t.Description = toolyaml.Clean(about); t.Description != "" {
			break
		}
	}
	t.Exec = &tool.Exec{Command: m.Program.Command(), Argv: c.path, SHA256: m.Program.SHA256, Pin: m.Import.Pin}
	slices.SortStableFunc(c.flags, func(a, b *flag) int { return strings.Compare(a.name, b.name) })
	for _, f := range c.flags {
		m.made.Flags++
		p := f.parameter()
		if slices.ContainsFunc(t.Parameters, func(other tool.Parameter) bool { return other.Name == p.Name }) {
			f.left = cmp.Or(f.left, "another flag's parameter is called so")
		}
		if f.left != "" {
			m.leave(c, f.name, f.left)
			continue
		}
		t.Parameters = append(t.Parameters, p)
		if f.doubt != "" {
			t.Doubts[p.Name] = f.doubt
		}
	}
	if c.goesOn() {
		m.made.Left = append(m.made.Left, Left{t.Command + " args", "", "a word could be a command below it"})
	} else {
		t.Parameters = append(t.Parameters, tool.Parameter{Name: "args", Type: tool.TypeArray,
			Items: &tool.Parameter{Type: tool.TypeString}, Description: c.argsAbout()})
	}
	yes, no := true, false
	t.Annotations.Title = t.Command
	switch {
	case c.own != nil:
		t.Annotations = c.own.annotations(t.Command)
		open := c.own.Annotations.OpenWorld
		t.ReachesOut = open != nil && *open
	case c.readsOnly() && (m.made.Draft == "" || m.Import.Guess): // what only reads is not asked about
		t.Annotations.ReadOnly = &yes
	case c.destructive():
		t.Annotations.ReadOnly, t.Annotations.Destructive = &no, &yes
	}
	m.dropRun(c, &t)
	return t
}

// dropRun takes out the parameters that the program is known to run.
func (m *maker) dropRun(c *command, t *Tool) {
	said := config.RunValues(&t.Tool, m.Commands)
	kept := t.Parameters[:0:0]
	for i, p := range t.Parameters {
		if said[i] == "" {
			kept = append(kept, p)
			continue
		}
		m.leave(c, p.Name, said[i]+", so whoever gives it chooses what runs")
	}
	t.Parameters = kept
}

// argsAbout says what the arguments are, in the words of the program.
func (c *command) argsAbout() string {
	for _, usage := range c.help.usage {
		if usage != "" && !(c.group() && needsCommand.MatchString(usage)) {
			return toolyaml.Clean("Arguments: " + usage)
		}
	}
	return "Arguments"
}

// What a parameter cannot be called that a flag can.
var (
	notInName = lazyregexp.New(`[^A-Za-z0-9_.-]`)
	ours      = lazyregexp.New(`(?i)^(?:__a2a|a2a_)`)
)

const mostName = 64

// parameter makes the parameter of a flag.
func (f *flag) parameter() tool.Parameter {
	about := f.about
	if about == "" {
		about = f.help.about
	}
	p := f.kind.Parameter(f.name, toolyaml.Clean(about))
	if f.spelled != "" {
		p.Flag = f.spelled
	}
	p.Name = notInName.Get().ReplaceAllString(p.Name, "_")
	if ours.MatchString(p.Name) {
		p.Name = "flag_" + p.Name
	}
	if len(p.Name) > mostName {
		p.Name = p.Name[:mostName]
	}
	p.Required = f.required
	if f.help.bare != "" {
		p.Description = toolyaml.Clean(fmt.Sprintf("%s (alone it means %s)", p.Description, f.help.bare))
	}
	p.Default = f.defaultValue(&p)
	return p
}
