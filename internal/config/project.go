package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ProjectFiles are the names of a workspace's own files, relative to its directory.
func ProjectFiles() []string {
	var names []string
	for _, kind := range []kind{kindPolicies, kindGovernors, kindTools} {
		names = append(names, filepath.Join(workspaceDir, fileNames[kind]))
	}
	return names
}

// Project is what the own files of one workspace say, read as those of a directory that is trusted.
type Project struct {
	Policies  []permissions.Rule
	Governors []ProjectGovernor
	Tools     []Loaded
	Warnings  yamldoc.Errors
}

// ProjectGovernor is a governor of a workspace's own file.
type ProjectGovernor struct {
	ID, Kind, Phase string
	Source          tool.Source
}

// ReadProject reads one of ProjectFiles, by its bytes and by what is known of programs, as if somebody
// trusted it. The error is an Errors.
func ReadProject(dir, name string, data []byte, profile tool.ErrorProfile, commands *command.Catalogue) (Project, error) {
	path := filepath.Join(dir, name)
	file := File{Name: path, Path: path, Layer: tool.LayerProject, Workspace: true, Trusted: dir,
		ErrorProfile: profile, Data: data, Commands: commands}
	var p Project
	var err error
	switch filepath.Base(name) {
	case PoliciesName:
		var policies permissions.File
		policies, err = ReadPolicies(file)
		p.Policies = policies.Rules
	case governorsName:
		read, warnings, failed := ReadGovernors(file)
		for _, spec := range read.Permission {
			p.Governors = append(p.Governors, ProjectGovernor{spec.ID, string(spec.Kind), "permission",
				spec.Source})
		}
		for _, spec := range read.Output {
			p.Governors = append(p.Governors, ProjectGovernor{spec.ID, string(spec.Kind), "output",
				spec.Source})
		}
		p.Warnings, err = warnings, failed
	case toolsName:
		p.Tools, err = ReadTools(file)
		for _, t := range p.Tools {
			p.Warnings = append(p.Warnings, t.Warnings...)
		}
	}
	return p, err
}

// judge reports whether a workspace's own file is trusted as it was read, and says so where it is not.
func (l *loading) judge(c candidate, file *File) (trusted bool) {
	trustState := Untrusted
	if l.sources.TrustState != nil && c.workspace == l.sources.Workspace.Root {
		trustState = l.sources.TrustState(*file)
	}
	if trustState == Trusted {
		file.Trusted = c.workspace
		return true
	}
	hint := "read what it brings and pin it: a2a-acp trust " + display.ShellWord(c.workspace)
	consequence := map[kind]string{
		kindTools: "the tools of a workspace are not loaded until somebody trusts it: " +
			"whoever wrote the repository would choose what runs",
		kindGovernors: "the governors of a workspace are not loaded until somebody trusts it",
	}[c.kind]
	switch {
	case c.workspace != l.sources.Workspace.Root:
		hint = "an additional directory's own file is trusted only in sessions that begin there"
	case trustState == Changed:
		hint = "look at what changed, and pin it again: a2a-acp trust " + display.ShellWord(c.workspace)
		consequence = map[kind]string{
			kindTools:     "changed since somebody trusted it; its tools are not loaded",
			kindGovernors: "changed since somebody trusted it; its governors are not loaded",
			kindPolicies:  "changed since somebody trusted it; only its rejecting rules are in force",
		}[c.kind]
	}
	if c.kind == kindPolicies {
		l.noticeLoose(*file, consequence, hint)
		return false
	}
	l.warn(c.name, ruleIgnored, hint, "%s", consequence)
	return false
}

// noticeLoose tells of the rules of a workspace's file that are not in force.
func (l *loading) noticeLoose(file File, changed, hint string) {
	read, err := ReadPolicies(file)
	if err != nil {
		return // said when it is added
	}
	loose := 0
	for _, rule := range read.Rules {
		if rule.Verdict != permissions.Reject {
			loose++
		}
	}
	switch {
	case changed != "":
		l.warn(file.Name, ruleIgnored, hint, "%s", changed)
	case loose > 0:
		l.warn(file.Name, ruleIgnored, hint,
			"%d of %s not in force: a workspace's own file can only reject, until somebody trusts it",
			loose, display.Count(len(read.Rules), "rule is", "rules are"))
	}
}

// bound takes from a workspace's own rules what is not theirs to say, trusted or not: whom the governors of
// others are asked about.
func (l *loading) bound(policies *permissions.File) {
	for i := range policies.Rules {
		rule := &policies.Rules[i]
		if rule.SkipGovernors {
			rule.SkipGovernors = false
			l.report(yamldoc.Error{
				File: rule.Source.File, Line: rule.Source.Line, Column: rule.Source.Column,
				Severity: yamldoc.SeverityWarning, Rule: ruleIgnored,
				Message: fmt.Sprintf("rule %q: skipGovernors has no effect in a workspace's own file",
					rule.ID),
			})
		}
	}
}

// mayAdd reports whether a workspace's own tool may be there beside those of all other layers.
func (l *loading) mayAdd(t tool.Tool) bool {
	why := MayNotAdd(t.ID, slices.Concat(l.ids(), l.set.Unread))
	if why != "" {
		l.report(yamldoc.Error{
			File: t.Source.File, Line: t.Source.Line, Column: t.Source.Column,
			Severity: yamldoc.SeverityWarning, Rule: ruleIgnored,
			Message: fmt.Sprintf("tool %q is left out: %s", t.ID, why),
			Hint:    "give it another id: a workspace's own tool stands beside yours and never in their place",
		})
	}
	return why == ""
}

// MayNotAdd says why a workspace's own tool must not have an id, given the ids of all other layers; "" when
// it may. An id that is only spelled another way counts as the same: agents respell the names of tools.
func MayNotAdd(id string, others []string) string {
	if strings.HasPrefix(folded(id), "functions") {
		return "rules know acts of editors and agents by ids that begin so"
	}
	for _, other := range others {
		if folded(other) == folded(id) {
			return fmt.Sprintf("there is %s already", other)
		}
	}
	return ""
}

// folded is an id without what agents change about it.
func folded(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' || r == '/' || r == ':' {
			return -1
		}
		return r
	}, strings.ToLower(id))
}
