package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// Risk is how much an act could harm, by what is known of it and not by what it says of itself.
type Risk int

// The risks. RiskUnsaid is the bound of a rule that says nothing.
const (
	RiskUnsaid Risk = iota
	RiskLow         // it reads plain files of the workspace, or calls a tool that changes nothing
	RiskMedium      // it changes plain files of the workspace, or runs known commands there
	RiskHigh        // everything else, and whatever cannot be told
)

var riskNames = [...]string{"", "low", "medium", "high"}

func (r Risk) String() string {
	if r < 0 || int(r) >= len(riskNames) {
		return fmt.Sprintf("risk(%d)", int(r))
	}
	return riskNames[r]
}

// ParseRisk reads low, medium or high.
func ParseRisk(text string) (Risk, bool) {
	at := slices.Index(riskNames[1:], text)
	return Risk(at + 1), at >= 0
}

// danger is a risk and the reason for it.
type danger struct {
	risk Risk
	why  string
}

// assess finds the risk of the act, and why.
func (v *evaluation) assess() danger {
	switch {
	case len(v.Doubts) > 0:
		return danger{RiskHigh, "it cannot be believed"}
	case v.Destructive:
		return danger{RiskHigh, "the tool's author says that it destroys something"}
	case v.Action == ActionSwitchMode, v.Action == ActionDelete, v.Action == ActionMove,
		v.Action == ActionFetch, v.Action == ActionOther:
		return danger{RiskHigh, fmt.Sprintf("it is an act of the kind %s", v.Action)}
	}
	for _, p := range v.resources {
		if p.err != nil || !v.inside(p) {
			return danger{RiskHigh, fmt.Sprintf("%q lies outside the workspace, or nobody can tell",
				display.Line(p.name))}
		}
		if why := v.sensitiveWhy(p, p.write); why != "" {
			return danger{RiskHigh, why}
		}
	}
	switch {
	case v.runs():
		return v.assessCommand()
	case aboutFiles(v.Action) && len(v.resources) == 0:
		return danger{RiskHigh, "it names no file"}
	case v.Action == ActionRead, v.Action == ActionSearch, v.Action == ActionCall && v.ReadOnly:
		return danger{RiskLow, "it changes nothing"}
	}
	return danger{RiskMedium, "it may change something in the workspace"}
}

// assessCommand: known to only read is low; known to stay in the workspace, to reach no other machine and
// to remove nothing is medium.
func (v *evaluation) assessCommand() danger {
	switch {
	case v.shell == nil:
		return danger{RiskHigh, "it cannot be told what it runs"}
	case v.shell.fault != "":
		return danger{RiskHigh, v.shell.fault}
	}
	if why := v.commandGuard(); why != "" {
		return danger{RiskHigh, why}
	}
	reads := len(v.Shell.Writes) == 0
	for _, c := range v.shell.commands {
		if name := v.reachesNetwork(c); name != "" {
			return danger{RiskHigh, fmt.Sprintf("`%s` reaches other machines", display.Line(name))}
		}
		if v.removing(c) {
			return danger{RiskHigh, fmt.Sprintf("`%s` removes or overwrites", display.Line(c.Name))}
		}
	}
	for _, p := range v.shell.resources {
		if !v.inside(p) && p.name != "/dev/null" &&
			(p.write || filepath.IsAbs(p.name) || strings.Contains(p.name, "..")) {
			return danger{RiskHigh, fmt.Sprintf("%q may lie outside the workspace", display.Line(p.name))}
		}
	}
	for i, c := range v.shell.commands {
		if v.shell.launches(i) {
			continue
		}
		if row, _ := command.Lookup(c.Name, fixedTexts(c)); row == nil && !c.Builtin || v.exceeds(c, 0) != "" {
			reads = false
		}
	}
	if reads {
		return danger{RiskLow, "it only reads"}
	}
	return danger{RiskMedium, "it runs known commands in the workspace"}
}

func fixedTexts(c shellscan.Command) []string {
	texts, _ := fixedWords(c.Args[:fixedPrefix(c.Args)])
	return texts
}

// removing reports whether a command, or what runs it, removes or overwrites what is there as its own
// purpose.
func (v *evaluation) removing(c shellscan.Command) bool {
	if v.in(command.Removers, c.Name) ||
		slices.ContainsFunc(strings.Fields(c.Via), func(name string) bool { return v.in(command.Removers, name) }) {
		return true
	}
	texts := fixedTexts(c)
	if at := v.startedAt(c.Name, texts); at >= 0 &&
		slices.ContainsFunc(texts[at:], func(word string) bool { return v.in(command.Removers, word) }) {
		return true
	}
	words := command.Subcommands(command.Removers, filepath.Base(c.Name))
	return words != nil && slices.ContainsFunc(c.Args,
		func(w shellscan.Word) bool { return !w.Fixed || words[w.Text] })
}

// reachesNetwork names the program by which a command reaches another machine; "" when it is not known to.
func (r *Request) reachesNetwork(c shellscan.Command) string {
	for _, name := range append(strings.Fields(c.Via), c.Name) {
		if in(command.NetworkClients, name) || r.Commands.In(command.NetworkReaching, filepath.Base(name)) {
			return filepath.Base(name)
		}
	}
	if len(c.Args) == 0 && in(command.NetworkAlone, c.Name) {
		return c.Name
	}
	family := command.Subcommands(command.NetworkCommands, filepath.Base(c.Name))
	if family == nil {
		return ""
	}
	for _, word := range c.Args {
		if !word.Fixed || family[word.Text] {
			return filepath.Base(c.Name)
		}
	}
	return ""
}

// matchRisk holds the act against the rule's bounds.
func (c *compiledRule) matchRisk(v *evaluation) (holds, string) {
	if c.MinRisk == RiskUnsaid && c.MaxRisk == RiskUnsaid {
		return yes, ""
	}
	d := v.danger()
	switch {
	case c.MaxRisk != RiskUnsaid && d.risk > c.MaxRisk:
		return no, fmt.Sprintf("the risk is %s (%s), and the rule goes up to %s", d.risk, d.why, c.MaxRisk)
	case c.MinRisk != RiskUnsaid && d.risk < c.MinRisk:
		return no, fmt.Sprintf("the risk is %s (%s), and the rule begins at %s", d.risk, d.why, c.MinRisk)
	}
	return yes, ""
}

func (c *checker) checkRisk(r *Rule) {
	for _, bound := range []struct {
		field string
		risk  Risk
	}{{"risk.max", r.MaxRisk}, {"risk.min", r.MinRisk}} {
		if bound.risk < RiskUnsaid || bound.risk > RiskHigh {
			c.add(bound.field, bound.risk.String()+" is no risk", "low, medium or high")
		}
	}
	if r.MaxRisk != RiskUnsaid && r.MinRisk > r.MaxRisk {
		c.add("risk", fmt.Sprintf("no risk is both %s or more and %s or less", r.MinRisk, r.MaxRisk), "")
	}
}
