package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/cliimport"
	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// treeCommand is a command as the program has it (tree.go.txt).
type treeCommand struct {
	Path             []string
	Hidden, Runnable bool
	Flags            []treeFlag
}

type treeFlag struct {
	Name, Type, Default, NoOpt, Usage   string
	Hidden, Required, Inherited, IsList bool
	Takes                               []string // of some values, those that its parser takes
}

// readTree has a program write down what it has.
func readTree(ctx context.Context, path string) (tree []treeCommand, err error) {
	home, err := os.MkdirTemp("", "clis")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	file := filepath.Join(home, "tree.json")
	cmd := exec.CommandContext(ctx, path)
	cmd.Dir, cmd.Env = home, []string{"COBRA_TREE=" + file, "HOME=" + home, "PATH=/usr/bin:/bin"}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", path, err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return tree, json.Unmarshal(data, &tree)
}

// compare counts what of a tree was found.
func (r *row) compare(tree []treeCommand, made *cliimport.Made) {
	tools := map[string]*cliimport.Tool{}
	for i := range made.Tools {
		tools[made.Tools[i].Command] = &made.Tools[i]
	}
	left := map[cliimport.Left]bool{}
	for _, one := range made.Left {
		left[cliimport.Left{Command: one.Command, Flag: one.Flag}] = true
	}
	for _, c := range tree {
		ours := len(c.Path) > 0 && slices.Contains([]string{"help", "completion", "__complete", "__completeNoDesc"}, c.Path[0])
		if c.Hidden || !c.Runnable || ours {
			continue
		}
		words := strings.Join(append([]string{r.name}, c.Path...), " ")
		if left[cliimport.Left{Command: words}] {
			continue // it was found, and is not wanted
		}
		r.commands++
		t := tools[words]
		if t != nil {
			r.foundCommands++
		} else {
			r.say("%s: not found", words)
		}
		for _, f := range c.Flags {
			cobras := f.Name == "help" || f.Name == "version" && len(c.Path) == 0
			if f.Hidden || cobras || left[cliimport.Left{Command: words, Flag: f.Name}] {
				continue
			}
			r.flags++
			if t != nil {
				r.flag(t, f)
			}
		}
	}
}

// flag compares a flag with its parameter.
func (r *row) flag(t *cliimport.Tool, f treeFlag) {
	at := slices.IndexFunc(t.Parameters, func(p tool.Parameter) bool { return p.Flag == "--"+f.Name })
	if at < 0 {
		r.say("%s --%s: not found", t.Command, f.Name)
		return
	}
	r.foundFlags++
	p := t.Parameters[at]
	doubt := t.Doubts[p.Name]
	if doubt != "" {
		r.toCheck++
		r.say("%s --%s: to check, since %s", t.Command, f.Name, doubt)
	}
	r.types++
	switch kind, known := pflagkind.OfType(f.Type); {
	case !known:
		wrong := !f.fits(&p)
		if wrong {
			r.wrong++
			r.say("%s --%s: its type %s, which takes %q, became %s %s", t.Command, f.Name, f.Type, f.Takes, brief(&p), doubt)
		}
	case !same(kind.Parameter(f.Name, ""), p):
		r.wrong++
		want := kind.Parameter(f.Name, "")
		r.say("%s --%s: %s, and is %s (%q, default %q, alone %q) %s", t.Command, f.Name, brief(&p), brief(&want),
			f.Type, f.Default, f.NoOpt, doubt)
	}
	if p.Required != f.Required {
		r.say("%s --%s: required %v, and is %v", t.Command, f.Name, p.Required, f.Required)
	}
}

func (r *row) say(format string, words ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, words...))
}

// fits reports whether what a flag of a program's own type became is what its parser takes: what takes anything, or
// words of its own, is a text, or a list of them.
func (f treeFlag) fits(p *tool.Parameter) bool {
	takes := func(value string) bool { return slices.Contains(f.Takes, value) }
	switch p.Type {
	case tool.TypeBoolean:
		return takes("true") && !takes("2") && !takes("@@")
	case tool.TypeInteger:
		return takes("2") && !takes("2.5") && !takes("@@")
	case tool.TypeNumber:
		return takes("2.5") && !takes("@@")
	case tool.TypeString:
		return p.Format != tool.FormatDuration || takes("2s") && !takes("@@")
	}
	return p.Type == tool.TypeArray
}

// same reports whether a parameter takes what a flag does. A list is narrower than it had to be where an item must not
// hold a comma which the program would not split at: no value arrives changed.
func same(want, got tool.Parameter) bool {
	if got.Items != nil && len(got.Items.Enum) > 0 { // whose values hold no commas
		got.Form = want.Form
	}
	if got.Form == tool.FormPlain && want.Type == tool.TypeArray && want.Form == tool.FormEqual {
		got.Form = want.Form
	}
	return brief(&want) == brief(&got)
}

func brief(p *tool.Parameter) string {
	words := []string{string(p.Type), string(p.Format), string(p.Form), p.Minimum}
	if p.Items != nil {
		words = append(words, "of "+brief(p.Items))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}
