package app

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
)

// holdBack has the tools of files that are anybody's look, before they run, whether somebody was shown what
// they ask for.
func (a *App) holdBack(set *config.Set, entries []*executor.Entry) {
	for _, entry := range entries {
		t := entry.Tool
		if trust.IsOwn(t.Source.Layer) || !trust.Asks(t) {
			continue
		}
		entry.Intact = func() error {
			return fmt.Errorf("it asks for secrets or grants of yours, "+
				"and nobody knows any more what %s was when it was read", t.Source.File)
		}
		for _, file := range set.Files {
			if file.Name == t.Source.File && file.Layer == t.Source.Layer {
				entry.Intact = func() error { return trust.MayBeGiven(a.o.Trust(), file) }
			}
		}
	}
}

// tellHeldBack says once which files have tools that are not run yet, since an agent that calls one is the
// wrong one to find out.
func (a *App) tellHeldBack(set *config.Set) {
	for _, file := range set.Files {
		n := 0
		for i := range set.Tools {
			t := &set.Tools[i].Tool
			if t.Source.File == file.Name && t.Source.Layer == file.Layer && !trust.IsOwn(file.Layer) &&
				trust.Asks(t) {
				n++
			}
		}
		if n > 0 && trust.MayBeGiven(a.o.Trust(), file) != nil {
			ask := display.Count(n,
				"of its tools asks for secrets or grants of yours, and is not run until you have read what it asks for",
				"of its tools ask for secrets or grants of yours, and are not run until you have read what they ask for")
			a.o.Say(fmt.Sprintf("%s: %s: a2a-acp trust %s", file.Name, ask, display.ShellWord(file.Path)))
		}
	}
}

// watchScripts has the tools of a workspace look, before they run, whether the scripts that they name are as
// somebody trusted them.
func (a *App) watchScripts(root string, entries []*executor.Entry) {
	trusted, _, _ := trust.Lookup(a.o.Trust(), root) // with none, every script counts as changed
	for _, entry := range entries {
		names := config.NamedScripts(entry.Tool, root)
		if len(names) == 0 {
			continue
		}
		entry.Intact = func() error {
			for _, name := range names {
				if !trusted.HasScript(name) {
					return fmt.Errorf("%s changed since somebody trusted it; look at it, and pin it again: a2a-acp trust %s",
						name, display.ShellWord(root))
				}
			}
			return nil
		}
	}
}
