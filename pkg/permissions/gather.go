package permissions

import (
	"io/fs"
	"os"
)

// A decision has two steps. First the facts are gathered that the rules need: what the names of the request
// mean, the directories and files of its command and, of rules that are about such an act, what their
// conditions look at beside. Then the rules are matched against the facts, and look at nothing else.

// machine is that of this machine.
type machine struct{}

func (machine) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (machine) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (machine) Readlink(name string) (string, error)       { return os.Readlink(name) }
func (machine) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (machine) ReadFile(name string) ([]byte, error)       { return os.ReadFile(name) }

// home returns the directory that a shell takes ~ for; "" where that is not known.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// variable returns what a program that starts now finds in its environment.
func variable(name string) string { return os.Getenv(name) }

// gather runs look, which may look at files and ask git.
func (v *evaluation) gather(look func()) {
	before := v.facts.gathering
	v.facts.gathering = true
	look()
	v.facts.gathering = before
}

// gather looks at what the rules need to know of the act, and keeps what they have found by then.
func (f *inForce) gather(v *evaluation) {
	v.gather(func() {
		f.findUnnamed(v)
		f.found[0] = f.policies.gather(v)
		if f.own != nil {
			f.found[1] = f.own.gather(v)
		}
		if f.session != nil {
			f.found[2] = f.session.gather(v)
		}
		v.findUnfinished()
	})
}

// gather asks every rule what it says of the request alone, and looks at what those need to know that may be
// about it.
func (s *Set) gather(v *evaluation) []finding {
	found := make([]finding, 0, s.rules)
	for _, file := range s.files {
		for _, rule := range file.rules {
			begun := rule.matchRequest(v)
			if begun.holds != no {
				rule.gather(v)
			}
			found = append(found, begun)
		}
	}
	return found
}

// gatherGuard looks at what guardedFile needs to know of a command; of other acts it is known.
func (v *evaluation) gatherGuard() {
	if v.runs() {
		v.gather(func() { v.commandGuard() })
	}
}

// gather looks at what the rule's conditions about facts need to know, one after the other, as long as they
// hold: what no rule needs is not looked at.
func (c *compiledRule) gather(v *evaluation) {
	if c.fault != "" {
		return
	}
	if c.Confined && !v.Confined || c.Sandbox != "" && !v.TakesProfile || c.InGitWorkTree && !v.inGitTree() {
		return
	}
	if c.asksWithin() {
		if got, _ := c.matchParameters(v); got == no {
			return
		}
	}
	if len(c.include)+len(c.exclude) > 0 && (c.Verdict != Approve || v.runs()) {
		v.trees()
	}
	if c.Verdict == Approve && v.runs() {
		if len(c.commands) == 0 {
			v.commandGuard()
		}
		for _, list := range c.commands {
			if !list.gather(v) {
				return // it covers none of the commands
			}
		}
	}
	if c.asksRisk() {
		v.danger()
	}
}

// asksWithin reports whether an argument of the act must lie in a directory.
func (c *compiledRule) asksWithin() bool {
	for _, matcher := range c.matchers {
		if matcher != nil && matcher.Within != "" {
			return true
		}
	}
	return false
}

// asksRisk reports whether the rule sees how much an act could harm: its expression may.
func (c *compiledRule) asksRisk() bool {
	return c.MinRisk != RiskUnsaid || c.MaxRisk != RiskUnsaid || c.when != nil
}

// spelledCommand is a command of the act, in one of its forms, of whose words a rule spells some.
type spelledCommand struct{ command, form, spelled int }

// gather looks at what the list needs to know of the act's commands that begin with its words: whether they
// exceed what these mean. It is false where the list surely does not cover the act, nor could with other rules.
func (l *commandList) gather(v *evaluation) (some bool) {
	if v.shell == nil || v.shell.fault != "" {
		return false
	}
	for i := range v.shell.commands {
		covered := false
		for form, c := range v.shell.forms[i] {
			for _, prefix := range l.prefixes {
				if covered || !begins(c, prefix) {
					continue
				}
				key := spelledCommand{i, form, len(prefix) - 1}
				exceeds, known := v.shell.exceeding[key]
				if !known {
					switch {
					case l.refuses(v) != "":
						return false
					case l.runBy(c) != "":
						continue
					}
					exceeds = v.exceeds(c, len(prefix)-1) != ""
					v.shell.exceeding[key] = exceeds
				}
				covered = !exceeds
			}
		}
		if !covered && len(v.shell.unnamed) > 0 && !v.shell.needsNoRule(i) {
			return false
		}
		some = some || covered
	}
	return some
}
