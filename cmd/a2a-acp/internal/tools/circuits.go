package tools

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// listedCircuit is a circuit in `tools circuits`.
type listedCircuit struct {
	Name  string    `json:"name"`
	Of    string    `json:"of"` // tool or source
	State string    `json:"state"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero"` // when an open one lets a trial through
}

func toolsCircuitsCommand(env *cli.Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "circuits",
		Short: "List the circuit breakers that have changed, and reset one",
		Long: `A circuit breaker lives in the program that makes the calls. Its changes are on record, and each is listed as
the last of them has left it.

--reset closes the circuits of a tool or a source in every program that has one, before its next call.`,
		Example: `  a2a-acp tools circuits
  a2a-acp tools circuits --reset shop`,
		Args: cobra.NoArgs,
	}
	f := cli.AddFormat(cmd)
	reset := cmd.Flags().String("reset", "", "close the circuits of this tool or source")
	cmd.RunE = func(*cobra.Command, []string) error {
		list, err := recordedCircuits(env)
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		if *reset != "" {
			return resetCircuit(env, list, *reset)
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, list)
		}
		if len(list) == 0 {
			env.Say("no circuit breaker has changed yet")
			return nil
		}
		out := cli.Table{Head: []string{"OF", "NAME", "STATE", "SINCE", "REFUSED UNTIL"}}
		for _, c := range list {
			until := ""
			if !c.Until.IsZero() {
				until = cli.Clock(c.Until)
			}
			out.Add(c.Of, display.Line(c.Name), display.Line(c.State), cli.Clock(c.Since), until)
		}
		out.Write(env.Stdout)
		return nil
	}
	return cmd
}

func resetCircuit(env *cli.Environment, list []listedCircuit, name string) error {
	if !slices.ContainsFunc(list, func(c listedCircuit) bool { return c.Name == name }) {
		return cli.Fail(exit.Usage, fmt.Errorf("no circuit of %s is on record; `a2a-acp tools circuits` lists them",
			display.Line(name)))
	}
	if err := app.ResetCircuit(env.AppOptions(nil, nil), name); err != nil {
		return cli.Fail(exit.Usage, err)
	}
	env.Say("the circuits of " + display.Line(name) + " are closed before the next call")
	return nil
}

// recordedCircuits returns the circuits that are on record, each as its last change has left it.
func recordedCircuits(env *cli.Environment) ([]listedCircuit, error) {
	dir, err := app.StateDir(env.AppOptions(nil, nil))
	if err != nil {
		return nil, err
	}
	last := map[[2]string]listedCircuit{}
	err = audit.Scan(filepath.Join(dir, "audit"), audit.OfType(events.CircuitChanged), func(e audit.Entry) error {
		if c := e.Circuit; e.Type == events.CircuitChanged && c != nil {
			of := map[bool]string{true: "source", false: "tool"}[c.Source != ""]
			name := cmp.Or(c.Source, c.Tool)
			last[[2]string{of, name}] = listedCircuit{name, of, c.State, e.Time, c.Until}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) { // without a record, no change is on it
		err = nil
	}
	list := []listedCircuit{}
	for _, c := range last {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b listedCircuit) int {
		return cmp.Or(strings.Compare(a.Of, b.Of), strings.Compare(a.Name, b.Name))
	})
	return list, err
}
