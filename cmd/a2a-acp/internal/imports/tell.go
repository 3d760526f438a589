package imports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/cliimport"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

// progress tells how far it is: on a terminal one line that counts, else a line when it begins.
func (i *importer) progress(p cliimport.Program) func(int) {
	i.env.Say(fmt.Sprintf("asking %s in the sandbox what it can do", display.Line(p.Path)))
	if p.Script {
		i.env.Say(display.Line(p.Path) + " is a script: its sha256 says nothing of what it starts")
	}
	if p.Link {
		i.env.Say(display.Line(p.Name) + " is a link to it: what it does by that name, it is not asked about")
	}
	if !cli.IsTerminal(i.env.Stderr) {
		return nil
	}
	var mu sync.Mutex
	found := 0
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		found += n
		fmt.Fprintf(i.env.Stderr, "\r%d commands ", found)
	}
}

// tell says what was made and what was not, what is guessed, and what it costs.
func (i *importer) tell(p cliimport.Program, made *cliimport.Made) {
	if cli.IsTerminal(i.env.Stderr) {
		fmt.Fprint(i.env.Stderr, "\r\x1b[K")
	}
	i.env.Say(fmt.Sprintf("%s and %s of %s, by %s in %s",
		display.Count(made.Commands, "command", "commands"), display.Count(made.Flags, "flag", "flags"), p.Name,
		display.Count(made.Asked, "question", "questions"), made.Took.Round(100*time.Millisecond)))
	switch {
	case made.Draft != "":
		i.env.Say(fmt.Sprintf("this is a draft, by %s alone: nothing of it was tried, look at each flag", display.Line(made.Draft)))
		if !made.Import.Guess {
			i.env.Say("types are texts, and each call is asked about, since no tool is known to only read; --guess guesses both")
		}
	case made.OwnWhy != "":
		i.env.Say("its own `mcp tools` does not count: " + made.OwnWhy)
	case made.Own:
		i.env.Say("what it says by its own `mcp tools` counts: which commands, types, annotations")
	}
	reads, destroys, reaches, tokens := []string{}, []string{}, []string{}, 0
	readTokens := 0
	for n := range made.Tools {
		t := &made.Tools[n]
		shown := mcpserver.FromTool(&t.Tool)
		cost := shown.Tokens()
		tokens += cost
		switch {
		case t.IsReadOnly():
			reads = append(reads, t.ID)
			readTokens += cost
		case t.IsDestructive():
			destroys = append(destroys, t.ID)
		}
		if t.ReachesOut {
			reaches = append(reaches, t.ID)
		}
		for _, name := range slices.Sorted(maps.Keys(t.Doubts)) {
			i.env.Say(fmt.Sprintf("check %s --%s: %s", t.ID, name, t.Doubts[name]))
		}
	}
	by := "by their names"
	if made.Own {
		by = "by its own word"
	}
	i.list("only read, "+by+", and are not asked about", reads)
	i.list("destroy, "+by, destroys)
	i.list("reach for the network, by its own word, and have it only where their entries say network: on", reaches)
	i.left(made.Left)
	if g, err := grant.Named(p.Name); err == nil && !slices.Contains(made.Import.Grants, p.Name) {
		i.env.Say(fmt.Sprintf("the tools are given nothing of yours; --grant %s gives them this: %s %s", p.Name,
			g.Says, g.Risk))
	}
	cli.SayTokens(i.env, len(made.Tools), tokens)
	if len(made.Tools) > cli.ManyTools || tokens > cli.ManyTokens {
		i.propose(p, made, len(reads), readTokens)
	}
}

// propose says what a smaller selection would be: what only reads, or the commands below some of those at the top.
func (i *importer) propose(p cliimport.Program, made *cliimport.Made, reads, readTokens int) {
	if reads > 0 && reads < len(made.Tools) {
		i.env.Say(fmt.Sprintf("with --read-only it is %s and %d tokens", display.Count(reads, "tool", "tools"), readTokens))
	}
	below := map[string]int{}
	for n := range made.Tools {
		if argv := made.Tools[n].Exec.Argv; len(argv) > 0 {
			below[argv[0]]++
		}
	}
	if len(below) < 2 {
		i.env.Say("--flags and --no-flags name single flags")
		return
	}
	names := slices.SortedFunc(maps.Keys(below), func(a, b string) int {
		return cmp.Or(cmp.Compare(below[b], below[a]), cmp.Compare(a, b))
	})
	var told []string
	for _, name := range names {
		told = append(told, fmt.Sprintf("%s (%d)", name, below[name]))
	}
	i.env.Say(fmt.Sprintf("or name some of its commands, as `a2a-acp import cli %s %s %s`, and flags by --flags and --no-flags; "+
		"it has tools below %s", display.ShellWord(p.Name), display.ShellWord(names[0]), display.ShellWord(names[1]), brief(told)))
}

func (i *importer) list(what string, ids []string) {
	if len(ids) > 0 {
		i.env.Say(fmt.Sprintf("%s: %s: %s", display.Count(len(ids), "tool", "tools"), what, brief(ids)))
	}
}

// brief lists some, and how many more there are.
func brief(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// left tells what was left out, by the reason.
func (i *importer) left(all []cliimport.Left) {
	byWhy := map[string][]string{}
	for _, left := range all {
		name := left.Command
		if left.Flag != "" {
			name = "--" + left.Flag
		}
		if left.Why != "it is called with a command below it" && !slices.Contains(byWhy[left.Why], name) {
			byWhy[left.Why] = append(byWhy[left.Why], name)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(byWhy)) {
		i.env.Say(fmt.Sprintf("left out, since %s: %s", why, brief(byWhy[why])))
	}
}

// print prints the tools in the form that was asked for.
func (i *importer) print(made *cliimport.Made) error {
	data, err := made.File(i.commands)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	switch i.f.output {
	case "json":
		plain, err := config.PlainJSON(data)
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		return cli.WriteData(i.env.Stdout, cli.FormatJSON, plain)
	case "mcp-tools":
		loaded, err := made.Check(i.commands)
		if err != nil {
			return cli.Fail(exit.Usage, err)
		}
		list := []mcpserver.Tool{}
		for n := range loaded {
			shown := mcpserver.FromTool(&loaded[n].Tool)
			shown.Title = "" // it is among the annotations
			list = append(list, shown)
		}
		return cli.WriteData(i.env.Stdout, cli.FormatJSON, list)
	}
	_, err = i.env.Stdout.Write(data)
	return err
}
