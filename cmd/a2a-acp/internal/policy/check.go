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
because another one always does, rules that have expired, and rules about a
tool, or a parameter of one, that does not exist. Without a file it checks
all the configuration that is in use.`,
		Example: `  a2a-acp policy check ./auto_approval_policies.yaml
  a2a-acp policy check ./governors.yaml
  a2a-acp policy check -o json`,
	}, "rule or governor", "rules and governors", checkPolicies)
}

// checkPolicies reads the files, or all the configuration when there are none, and gives everything that is
// to be said, with the number of rules and governors.
func checkPolicies(env *cli.Environment, names []string) (yamldoc.Errors, cli.Checked, error) {
	var files []permissions.File
	var found yamldoc.Errors
	var read []config.File
	var rules cli.Checked
	if len(names) == 0 {
		set, err := config.Load(app.Sources(env.AppOptions(nil, nil)))
		if err != nil {
			return cli.ToList(err)
		}
		files, read = set.Policies, set.Files
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
	found = append(found, idle(env, files)...)
	config.AddExcerptsOf(read, found)
	sort.SliceStable(found, func(i, j int) bool { return found[i].File < found[j].File })
	return found, rules, nil
}

// governorsSaid reports whether a warning is about a governors file.
func governorsSaid(set *config.Set, warning yamldoc.Error) bool {
	return slices.ContainsFunc(set.Governors, func(file governor.File) bool { return file.Name == warning.File })
}

// idle tells of rules that are about nothing: their time is over, or no tool has their names, or their parameters.
func idle(env *cli.Environment, files []permissions.File) yamldoc.Errors {
	var found yamldoc.Errors
	tools, complete := knownTools(env)
	known := slices.Sorted(maps.Keys(tools))
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
				if !complete || strings.ContainsAny(id, `*?[\`) || permissions.KnownTool(id) ||
					slices.Contains(known, id) {
					continue
				}
				hint := "a2a-acp tools list lists them"
				if near := spelling.Nearest(id, append(permissions.KnownTools(), known...)); near != "" {
					hint = fmt.Sprintf("did you mean %s?", near)
				}
				warn("unknown-tool", hint, "is about %s, and there is no such tool", display.Line(id))
			}
			parameters, told := parametersOf(tools, rule.AppliesTo)
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

// knownTools returns the tools in use by their ids. It is false when they cannot be read, which is not what
// check was asked.
func knownTools(env *cli.Environment) (known map[string]*tool.Tool, complete bool) {
	set, err := config.Load(app.Sources(env.AppOptions(nil, nil)))
	if err != nil {
		return nil, false
	}
	known = map[string]*tool.Tool{}
	for i := range set.Tools {
		known[set.Tools[i].Tool.ID] = &set.Tools[i].Tool
	}
	return known, true
}
