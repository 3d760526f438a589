package tools

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// writeVariables says which variables a tool's calls are given, and from where; never a value that stands
// elsewhere.
func writeVariables(w io.Writer, t *tool.Tool) {
	s := t.Sandbox
	for _, name := range slices.Sorted(maps.Keys(s.References)) {
		fmt.Fprintf(w, "  be given %s (%s)\n", name, display.Line(s.References[name].String()))
	}
	if trust.Asks(t) && !trust.IsOwn(t.Source.Layer) {
		fmt.Fprintf(w, "  run only when you have trusted its file, which is none of your own: a2a-acp trust %s\n",
			display.ShellWord(t.Source.File))
	}
}

// shownReferences is writeGiven for `tools show -o json`.
func shownReferences(s tool.Sandbox) map[string]string {
	if len(s.References) == 0 {
		return nil
	}
	item := make(map[string]string, len(s.References))
	for name, reference := range s.References {
		item[name] = reference.String()
	}
	return item
}

// shownGrant is a grant in `tools show`.
type shownGrant struct {
	Name  string       `json:"name"`
	Says  string       `json:"says"`
	Risk  string       `json:"risk"`
	Gives []grant.Item `json:"gives"` // on this machine, now
}

// shownGrants says what a tool's grants give on this machine, and what they risk.
func shownGrants(env *cli.Environment, s tool.Sandbox) []shownGrant {
	var list []shownGrant
	for _, name := range s.Grants {
		if g, err := grant.Named(name); err == nil { // the file that names it has been read
			list = append(list, shownGrant{Name: g.Name, Says: g.Says, Risk: g.Risk, Gives: g.Gives(env.Getenv)})
		}
	}
	return list
}

// writeGrants writes them for people.
func writeGrants(env *cli.Environment, w io.Writer, s tool.Sandbox) {
	for _, g := range shownGrants(env, s) {
		fmt.Fprintf(w, "\nGranted: %s\n  %s\n  Risk: %s\n", g.Name, g.Says, g.Risk)
		absent := map[string][]string{}
		for _, item := range g.Gives {
			if item.Lacks == "" {
				fmt.Fprintf(w, "  %s %s\n", item.Kind, display.Line(item.Name))
				continue
			}
			absent[item.Lacks] = append(absent[item.Lacks], display.Line(item.Name))
		}
		for _, why := range slices.Sorted(maps.Keys(absent)) {
			fmt.Fprintf(w, "  (%s: %s)\n", display.Line(why), strings.Join(absent[why], ", "))
		}
	}
}
