// Package doctor is the verb doctor: what this host, these files and this agent can do.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/doctor"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// Command returns the verb doctor.
func Command(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what this machine can enforce, and what would make it enforce more",
		Long: `doctor tests the sandbox: real calls attempt what they must not be able to do. It prints the level that
this machine reaches, each property with its proof, and for each missing one the lines that enable it on
this distribution. It also checks the configuration, the state directory and the end of the record.

Levels, the strongest first:
  full+cgroup  full, and the memory of a call as a whole is limited
  full         nothing outlives the call, everything but what was granted is read-only, /tmp, /proc and
               the home are its own
  no-proc      the same, but it sees the list of this machine's processes (in most containers)
  landlock     it can open only what was granted
  rlimits      limits, and no network; its files are not confined, so it is refused unless allowed
  none         nothing is run

The exit code is 0 when files can be confined (landlock or better), else 5.

--agent checks one agent: where it is, which of its acts are decided, only seen, or confined, and what
its profile grants here. It starts the agent, confined, and asks for its name. NAME is one of
` + strings.Join(cli.AgentNames(), ", ") + `, or a program, with its arguments after --. The exit code is 0 when it can
be started confined, else 5.`,
		Example: `  a2a-acp doctor
  a2a-acp doctor --json
  a2a-acp doctor --agent gemini
  a2a-acp doctor --agent my-agent --confine terminal -- --acp`,
		Args: cobra.ArbitraryArgs,
	}
	var flags agentFlags
	f := cli.AddFormat(cmd)
	flags.addTo(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case flags.agent != "":
			return diagnoseAgent(cmd.Context(), env, *f, flags, args)
		case len(args) > 0:
			return cli.Fail(exit.Usage,
				fmt.Errorf("doctor takes no %q; about an agent: a2a-acp doctor --agent %s", args[0], args[0]))
		}
		return diagnose(cmd.Context(), env, *f)
	}
	return cmd
}

func diagnose(ctx context.Context, env *cli.Environment, f cli.Format) error {
	d, err := doctor.Diagnose(ctx, optionsOf(env))
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	if f == cli.FormatTable {
		writeDiagnosis(env, d)
	} else if err := cli.WriteData(env.Stdout, f, d); err != nil {
		return err
	}
	if !d.Confines() {
		return cli.Silent(exit.Host)
	}
	return nil
}

// optionsOf returns what a diagnosis takes from the environment.
func optionsOf(env *cli.Environment) doctor.Options {
	o := env.AppOptions(nil, nil)
	return doctor.Options{Version: o.Version, Getenv: o.Getenv, Dir: o.Dir, Sources: app.Sources(o),
		Confine: o.Confine()}
}

func writeDiagnosis(env *cli.Environment, d doctor.Diagnosis) {
	var found strings.Builder
	into := *env
	into.Stdout = &found
	writeFound(&into, d)
	fmt.Fprint(env.Stdout, cli.FoldText(env.Stdout, found.String()))
	writeAdvice(env.Stdout, d.Missing)
}

func writeFound(env *cli.Environment, d doctor.Diagnosis) {
	w := env.Stdout
	fmt.Fprintf(w, "a2a-acp %s on %s\n\nsandbox level: %s\n", d.Version, d.Machine, d.Sandbox.Level)
	for _, line := range strings.Split(d.Sandbox.Why, "; ") {
		if line != "" {
			fmt.Fprintf(w, "  not %s\n", line)
		}
	}
	fmt.Fprintln(w)
	for _, p := range d.Sandbox.Properties {
		mark := "yes"
		if !p.Enforced {
			mark = "NO"
		}
		fmt.Fprintf(w, "  %-3s  %s\n", mark, p.Meaning)
		if p.By != "" {
			fmt.Fprintf(w, "         by:    %s\n", p.By)
			fmt.Fprintf(w, "         proof: %s\n", p.Proof)
			continue
		}
		fmt.Fprintf(w, "         %s\n", p.Proof)
	}
	fmt.Fprintln(w)
	writeHealth(env, "state", d.State)
	writeHealth(env, "record", d.Record)
	writeHealth(env, "bash", d.Bash)
	writeAnswers(env, d.Answers)
	writeConfiguration(env, d.Configuration)
}

// writeAdvice says what could be done. A command is not folded, since it is there to be copied.
func writeAdvice(w io.Writer, missing []doctor.Advice) {
	for _, advice := range missing {
		fmt.Fprintln(w, cli.FoldText(w, fmt.Sprintf("\nmissing: %s (gives %s)\n  %s\n  what to do:", advice.What,
			strings.Join(advice.Gives, ", "), advice.Why)))
		for line := range strings.Lines(advice.Fix) {
			fmt.Fprintf(w, "    %s", line)
		}
		fmt.Fprintln(w)
	}
}

func writeHealth(env *cli.Environment, name string, h doctor.Health) {
	if h.OK {
		fmt.Fprintf(env.Stdout, "  ok   %s: %s\n", name, env.Short(h.Path))
		return
	}
	fmt.Fprintf(env.Stdout, "  BAD  %s: %s\n", name, h.Problem)
}

// writeAnswers tells whether who asks now could answer. That he cannot is no fault of the machine's: it may
// be a script that asks.
func writeAnswers(env *cli.Environment, a doctor.AnswersHealth) {
	switch {
	case !a.OK:
		fmt.Fprintf(env.Stdout, "  no   answers from here: %s\n", a.Problem)
	case len(a.Confirm) > 0:
		fmt.Fprintf(env.Stdout, "  ok   answers from here: after %s\n", display.Line(strings.Join(a.Confirm, " ")))
	default:
		fmt.Fprintln(env.Stdout, "  ok   answers from here")
	}
}

func writeConfiguration(env *cli.Environment, c doctor.ConfigurationState) {
	if c.OK {
		fmt.Fprint(env.Stdout, "  ok   configuration:")
	} else {
		fmt.Fprint(env.Stdout, "  BAD  configuration:")
	}
	for _, file := range c.Files {
		fmt.Fprintf(env.Stdout, " %s", env.Short(file))
	}
	fmt.Fprintln(env.Stdout)
	for _, problem := range c.Problems {
		fmt.Fprintf(env.Stdout, "       %s\n", strings.ReplaceAll(problem.Error(), "\n", "\n       "))
	}
	if added := c.Commands; added != nil {
		fmt.Fprintf(env.Stdout, "  ok   commands: %s adds rows of programs: %d, of variables: %d\n",
			env.Short(added.File), added.Programs, added.Variables)
	}
}
