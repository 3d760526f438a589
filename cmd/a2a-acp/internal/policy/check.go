package policy

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ruleShadowed is the id of the message about a rule that can never decide.
const ruleShadowed = "shadowed-rule"

func policyCheckCommand(env *cli.Environment) *cobra.Command {
	return cli.CheckCommand(env, &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Check policy and governors files: every mistake at once, and rules that can never decide",
		Long: `check reads policy and governor files as the program does, and prints every
mistake as file:line:column: message [rule]. An example of a rule (match,
not_match) that fails is a mistake. Warnings are rules that can never decide
because another one always does, rules that have expired, rules and governors
about a tool, an agent, or a parameter that does not exist, and governors
whose program is not there. Without a file it checks all the configuration
that is in use.`,
		Example: `  a2a-acp policy check ./auto_approval_policies.yaml
  a2a-acp policy check ./governors.yaml
  a2a-acp policy check -o json`,
	}, "rule or governor", "rules and governors", checkPolicies)
}

// checkPolicies reads the files, or all the configuration when there are none, and gives everything that is
// to be said, with the number of rules and governors.
func checkPolicies(env *cli.Environment, names []string) (yamldoc.Errors, cli.Checked, error) {
	var files []permissions.File
	var governing []governor.File
	var found yamldoc.Errors
	var read []config.File
	var rules cli.Checked
	if len(names) == 0 {
		set, err := config.Load(app.Sources(env.AppOptions(nil, nil)))
		if err != nil {
			return cli.ToList(err)
		}
		files, read = set.Policies, set.Files
		governing = set.Governors
		for _, governors := range set.Governors {
			rules.All += len(governors.Permission) + len(governors.Output)
		}
		for _, warning := range set.Warnings {
			if governorsSaid(set, warning) {
				found = append(found, warning)
			}
		}
	}
	commands, err := cli.Commands(env)
	if err != nil {
		return nil, cli.Checked{}, err
	}
	for _, name := range names {
		file, err := cli.ReadFile(name, commands)
		read = append(read, file)
		var policies permissions.File
		if err == nil && config.IsGovernors(file) {
			governors, told, err := config.ReadGovernors(file)
			found = append(append(found, told...), yamldoc.List(err)...)
			rules.All += len(governors.Permission) + len(governors.Output)
			governing = append(governing, governors)
			continue
		}
		if err == nil {
			policies, err = config.ReadPolicies(file)
		}
		if err != nil {
			list, _, err := cli.ToList(err)
			if err != nil {
				return nil, cli.Checked{}, err
			}
			found = append(found, list...)
			continue
		}
		files = append(files, policies)
	}
	for _, file := range files {
		rules.All += len(file.Rules)
		if file.Layer == tool.LayerEmbedded {
			rules.Included += len(file.Rules)
		}
	}
	for _, s := range permissions.Shadows(files) {
		at := s.Rule.Source
		found = append(found, yamldoc.Error{
			File: at.File, Line: at.Line, Column: at.Column, Severity: yamldoc.SeverityWarning, Rule: ruleShadowed,
			Message: fmt.Sprintf("rule %s can never decide: %s", s.Rule.ID, s.Why),
			Hint:    "remove one of the two, or give the other one a condition",
		})
	}
	known := knownNames(env)
	found = append(found, idle(env, files, known)...)
	found = append(found, idleGovernors(governing, known)...)
	config.AddExcerptsOf(read, found)
	sort.SliceStable(found, func(i, j int) bool { return found[i].File < found[j].File })
	return found, rules, nil
}

// governorsSaid reports whether a warning is about a governors file.
func governorsSaid(set *config.Set, warning yamldoc.Error) bool {
	return slices.ContainsFunc(set.Governors, func(file governor.File) bool { return file.Name == warning.File })
}

// idle tells of rules that are about nothing: their time is over, or no tool has their names, or their parameters.
func idle(env *cli.Environment, files []permissions.File, known names) yamldoc.Errors {
	var found yamldoc.Errors
	for _, file := range files {
		for _, rule := range file.Rules {
			warn := func(kind, hint, format string, args ...any) {
				at := rule.Source
				found = append(found, yamldoc.Error{
					File: at.File, Line: at.Line, Column: at.Column, Severity: yamldoc.SeverityWarning, Rule: kind,
					Message: fmt.Sprintf("rule %s ", rule.ID) + fmt.Sprintf(format, args...), Hint: hint,
				})
			}
			if !rule.Expires.IsZero() && !env.Now().Before(rule.Expires) {
				warn("expired-rule", "remove it, or give it more time",
					"does not count any more: it expired at %s", rule.Expires.UTC().Format(time.RFC3339))
			}
			for _, id := range rule.AppliesTo {
				if what, hint := known.lacks(id); what != "" {
					warn("unknown-tool", hint, "is about %s, and there is no such %s", display.Line(id), what)
				}
			}
			parameters, told := parametersOf(known.tools, rule.AppliesTo)
			for _, name := range argumentsOf(rule) {
				if !told || slices.Contains(parameters, name) {
					continue
				}
				hint := fmt.Sprintf("a2a-acp tools show %s lists its parameters", rule.AppliesTo[0])
				if near := spelling.Nearest(name, parameters); near != "" {
					hint = fmt.Sprintf("did you mean %s?", near)
				}
				warn("unknown-parameter", hint, "is about the parameter %s, and %s has none of that name",
					display.Line(name), strings.Join(rule.AppliesTo, ", "))
			}
		}
	}
	return found
}

// argumentsOf lists the arguments that a rule is about.
func argumentsOf(rule permissions.Rule) []string {
	names := map[string]bool{}
	for name := range rule.Parameters {
		names[name] = true
	}
	for name := range rule.Matchers {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// parametersOf lists the parameters that one of some tools has. It is false unless each is a tool of tools.yaml, named
// by its whole id.
func parametersOf(tools map[string]*tool.Tool, ids []string) (names []string, told bool) {
	for _, id := range ids {
		t := tools[id]
		if t == nil {
			return nil, false
		}
		for _, p := range t.Parameters {
			names = append(names, p.Name)
		}
	}
	return names, len(ids) > 0
}

// idleGovernors tells of governors that look at nothing, or that can say nothing.
func idleGovernors(files []governor.File, known names) (found yamldoc.Errors) {
	for _, file := range files {
		for _, spec := range slices.Concat(file.Permission, file.Output) {
			warn := func(kind, hint, format string, args ...any) {
				at := spec.Source
				found = append(found, yamldoc.Error{
					File: at.File, Line: at.Line, Column: at.Column, Severity: yamldoc.SeverityWarning, Rule: kind,
					Message: fmt.Sprintf("governor %s ", spec.ID) + fmt.Sprintf(format, args...), Hint: hint,
				})
			}
			for _, id := range spec.AppliesTo {
				if what, hint := known.lacks(id); what != "" {
					warn("unknown-tool", hint, "looks at %s, and there is no such %s", display.Line(id), what)
				}
			}
			if spec.Kind != governor.KindScript {
				continue
			}
			if err := spec.Script.Missing(); err != nil {
				warn("missing-program", "until it is there "+withoutAnswer(spec.OnError), "can say nothing: %s", display.Line(err.Error()))
			}
		}
	}
	return found
}

// withoutAnswer says what becomes of an act about which a governor says nothing.
func withoutAnswer(f governor.Fallback) string {
	switch f {
	case governor.FallbackReject:
		return "everything that it looks at is rejected"
	case governor.FallbackIgnore:
		return "nothing that it looks at is stopped, since on_error is ignore"
	}
	return "you are asked about everything that it looks at"
}

// names is what rules and governors can be about.
type names struct {
	tools  map[string]*tool.Tool // those in use, by their ids
	agents []string              // those that are driven, as governors name their answers
	// complete is false where they cannot be read, which is not what check was asked.
	complete bool
}

func knownNames(env *cli.Environment) names {
	set, err := config.Load(app.Sources(env.AppOptions(nil, nil)))
	if err != nil {
		return names{}
	}
	known := names{tools: map[string]*tool.Tool{}, complete: true}
	for i := range set.Tools {
		known.tools[set.Tools[i].Tool.ID] = &set.Tools[i].Tool
	}
	for _, agent := range set.Settings.Agents {
		known.agents = append(known.agents, agentPrefix+agent.Name)
	}
	return known
}

// agentPrefix is how governors name what agents answer.
const agentPrefix = "agent/"

// lacks says what a pattern is about that there is not, with the cure; "" where there is, or may be: what agents call
// their tools nobody knows.
func (n names) lacks(pattern string) (what, hint string) {
	isPattern := strings.ContainsAny(pattern, `*?[\`)
	switch {
	case !n.complete:
		return "", ""
	case strings.HasPrefix(pattern, agentPrefix):
		if permissions.CompileTools([]string{pattern}).Match(n.agents) {
			return "", ""
		}
		what, hint = "agent", "it stands under agents in a2a-acp.yaml"
		if near := spelling.Nearest(pattern, n.agents); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return what, hint
	case isPattern, permissions.KnownTool(pattern), n.tools[pattern] != nil:
		return "", ""
	}
	hint = "a2a-acp tools list lists them"
	if near := spelling.Nearest(pattern, slices.Concat(permissions.KnownTools(), slices.Sorted(maps.Keys(n.tools)))); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return "tool", hint
}
