package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/doctor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/profile"
)

// agentFlags are what doctor takes about an agent.
type agentFlags struct {
	agent, confine string
	allow, env     []string
	all            bool
}

func (f *agentFlags) addTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.agent, "agent", "",
		"what is decided, seen and confined of this agent: "+strings.Join(cli.AgentNames(), ", ")+", or a program")
	cmd.Flags().StringVar(&f.confine, "confine", "",
		"with --agent: the profile; the agent's own when none is named, terminal where it has none")
	cmd.Flags().StringArrayVar(&f.allow, "allow", nil,
		"with --agent: PATH[:ro] that it may use too, as bridge --allow; may be repeated")
	cmd.Flags().StringArrayVar(&f.env, "env", nil,
		"with --agent: NAME[=VALUE] that it gets too, as bridge --env; may be repeated")
	cmd.Flags().BoolVar(&f.all, "all", false, "with --agent: also the paths of the profile that are not there")
	_ = cmd.RegisterFlagCompletionFunc("agent",
		cobra.FixedCompletions(cli.AgentNames(), cobra.ShellCompDirectiveDefault))
	_ = cmd.RegisterFlagCompletionFunc("confine", cli.CompleteProfiles)
}

func diagnoseAgent(ctx context.Context, env *cli.Environment, f cli.Format, flags agentFlags, args []string) error {
	o := optionsOf(env)
	q := doctor.AgentQuestion{Options: o, Name: flags.agent, Env: env.ForAgent(), Confinement: confine.Confinement{
		Profile: flags.confine, Allow: cli.Allowed(o.Dir, flags.allow), Environment: flags.env,
	}}
	if agent, ok := agents.ByName(flags.agent); ok {
		q.Command, q.Missing = cli.Finder(env).Find(agent)
	} else if path, err := exec.LookPath(flags.agent); err == nil {
		q.Command = []string{path}
	} else {
		q.Missing = fmt.Errorf("%q is neither a known agent (%s) nor a program: %w", flags.agent,
			strings.Join(cli.AgentNames(), ", "), err)
	}
	if q.Missing == nil {
		q.Command = append(q.Command, args...)
	}
	if q.Confinement.Profile == "" {
		q.Confinement.Profile = profileOf(flags.agent, q.Command)
	}
	if _, err := profile.Named(q.Confinement.Profile); err != nil {
		return cli.Fail(exit.Usage, fmt.Errorf("--confine: %w", err))
	}
	d := doctor.DiagnoseAgent(ctx, q)
	if f == cli.FormatTable {
		writeAgent(env, d, flags.all)
	} else if err := cli.WriteData(env.Stdout, f, d); err != nil {
		return err
	}
	if !d.Trial.OK {
		return cli.Silent(exit.Host)
	}
	return nil
}

// profileOf returns the profile of an agent that is named, or recognised by its command.
func profileOf(name string, command []string) string {
	if _, ok := agents.ByName(name); ok {
		return name
	}
	if agent, ok := agents.ByCommand(command); ok {
		return agent.Name
	}
	return "terminal"
}

func writeAgent(env *cli.Environment, d doctor.AgentDiagnosis, all bool) {
	w := env.Stdout
	if d.Installed {
		fmt.Fprintf(w, "%s: %s\n", d.Title, env.Short(strings.Join(d.Command, " ")))
	} else {
		fmt.Fprintf(w, "%s: NOT INSTALLED\n  %s\n", d.Title, d.Problem)
	}
	for _, mode := range []struct {
		title    string
		coverage map[string]string
	}{{"behind a bridge", d.Coverage}, {"behind a bridge with --confine", d.Confined}} {
		fmt.Fprintf(w, "\n%s\n", mode.title)
		for _, what := range []string{"files", "terminals", "prompts", "own"} {
			fmt.Fprintf(w, "  %-10s %s\n", what, mode.coverage[what])
		}
	}
	fmt.Fprintf(w, "\nits own acts\n  %-18s %-12s %s\n", "", "with hooks", "--hooks=off")
	for _, act := range d.Acts {
		fmt.Fprintf(w, "  %-18s %-12s %s\n", act.Kind, orDash(act.Hooks), act.Alone)
	}
	if d.Profile != nil {
		writeProfile(env, d.Profile, all)
	}
	fmt.Fprintf(w, "\na confined start (sandbox level %s)\n", orDash(d.Trial.Level))
	if d.Trial.OK {
		fmt.Fprintf(w, "  ok   it answered: %s %s, ACP version %d\n", orDash(d.Trial.Name), d.Trial.Version,
			d.Trial.Protocol)
		return
	}
	fmt.Fprintf(w, "  BAD  %s\n", d.Trial.Problem)
	if d.Trial.Fix != "" {
		fmt.Fprintf(w, "  what to do: %s\n", d.Trial.Fix)
	}
}

func writeProfile(env *cli.Environment, p *doctor.ProfileHealth, all bool) {
	w := env.Stdout
	fmt.Fprintf(w, "\nprofile %s: %s\n", p.Name, p.Says)
	if p.Inner != "" {
		fmt.Fprintf(w, "  its own sandbox: %s\n", p.Inner)
	}
	fmt.Fprintf(w, "  network: %s\n", p.Network)
	missing := 0
	for _, path := range p.Paths {
		there := ""
		if !path.Exists {
			if missing++; !all {
				continue
			}
			there = "  (not there, so not granted)"
		}
		fmt.Fprintf(w, "  %-5s %s%s\n", path.Access, env.Short(path.Path), there)
	}
	if missing > 0 && !all {
		fmt.Fprintf(w, "  and %s not there, so not granted (--all lists them)\n",
			display.Count(missing, "path that is", "paths that are"))
	}
	var set []string
	for _, variable := range p.Environment {
		if variable.Set {
			set = append(set, variable.Name)
		}
	}
	fmt.Fprintf(w, "  variables that are set and passed on: %s\n", orDash(strings.Join(set, ", ")))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
