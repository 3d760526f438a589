package acp

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// asksBecause says why the person is asked an agent's question, the rule where one asks, and what it would
// run and could reach. Where a governor asks, its words stand in the card already.
func (p *permissionPrompt) asksBecause() string {
	words := ""
	if because := gate.Because(p.asked); because != "" && p.asked.Source != permissions.SourceGovernor {
		words = "a2a-acp asks because " + display.Line(because)
	}
	reaches := strings.Join(p.reaches(), "\n")
	switch {
	case words == "" && reaches != "":
		return "a2a-acp: " + reaches
	case reaches != "":
		return words + "\n" + reaches
	}
	return words
}

// forSession says what the agent's option for more than this once would allow; "" where it offers none.
func (p *permissionPrompt) forSession() string {
	if _, offered := firstOf(p.options, allowAlways); !offered {
		return ""
	}
	switch _, once := firstOf(p.options, allowOnce); {
	case p.b.o.ForwardAlways:
		return inSession([]string{"the agent gets your answer as it is, and keeps what it likes"}, "")
	case !once && p.b.keepsAlways(p):
		return inSession([]string{"the agent has no answer for this once, so it gets yours as it is, and keeps what it likes"}, "")
	}
	return inSession(p.question.Lasting, p.question.Unkept)
}

// inSession says what a yes for the rest of the session can allow, or why nothing is kept here.
func inSession(lasting []string, unkept string) string {
	switch {
	case len(lasting) > 1:
		return "Allow in this session: " + display.Whole(strings.Join(lasting, "; or ")) + ". Files that run later, or hold secrets, " +
			"are asked about all the same."
	case len(lasting) > 0:
		return "Allow in this session: " + display.Whole(lasting[0])
	case unkept != "":
		return "Allow in this session: nothing is kept: " + display.Whole(unkept)
	}
	return ""
}

// reaches says what the act could reach, and of a fetch the hosts that the agent names.
func (p *permissionPrompt) reaches() []string {
	lines := p.b.reaches(p.claim.request)
	// Behind another question the editor may be who does it.
	if p.exact && p.claim.request.Action != permissions.ActionExecute && p.asked.Source != permissions.SourceConfinement {
		lines = append(lines, p.b.refused(p.claim.request.Dir, p.claim.request.Paths)...)
	}
	if p.namesOurTool() {
		lines = append(lines, "By its name it is a tool of a2a-acp, whose MCP server decides about the call again.")
	}
	if p.claim.request.Action == permissions.ActionFetch {
		texts := append(slices.Collect(ndjson.Texts(p.call.rawInput)), p.call.title)
		if hosts := permissions.HostsIn(texts...); len(hosts) > 0 {
			lines = append(lines, overNetwork(hosts))
		}
	}
	return lines
}

// namesOurTool reports whether the act calls a tool of ours by its name, as where a person has entered our server into the
// agent's settings. Nobody here knows that server to be ours.
func (p *permissionPrompt) namesOurTool() bool {
	server, name, ok := mcpTool(p.call)
	if !ok || p.b.o.Tools == nil || p.claim.request.Action != permissions.ActionOther ||
		!slices.Contains(serverNames, strings.ReplaceAll(server, "_", "-")) {
		return false
	}
	_, ok = p.b.o.Tools.ToolID(p.session.Workspace(), name)
	return ok
}

// overNetwork says which hosts an act reaches.
func overNetwork(hosts []string) string {
	more := ""
	if len(hosts) > mostRun {
		hosts, more = hosts[:mostRun], ", …"
	}
	return "Over the network it would reach " + strings.Join(hosts, ", ") + more + "."
}

// mostRun is how many commands of one text a card lists.
const mostRun = 8

// reaches says in short what would run, where the command's own text is more than one, and what it could
// reach.
func (b *Bridge) reaches(r permissions.Request) (lines []string) {
	switch r.Action {
	case permissions.ActionExecute:
		if runs := r.ShownCommands(); len(runs) > 1 {
			more := ""
			if len(runs) > mostRun {
				runs, more = runs[:mostRun], "; …"
			}
			lines = append(lines, "It would run: "+strings.Join(runs, "; ")+more)
		}
		if reached := r.Reached(); len(reached) > 0 {
			lines = append(lines, overNetwork(reached))
		}
		if b.o.Confinement != nil {
			lines = append(lines, "It could reach what the agent's sandbox lets it.")
			return append(lines, b.refused(r.Dir, r.NamedFiles())...)
		}
		return append(lines, "It could reach all that you can: no sandbox holds the agent.")
	case permissions.ActionCall, permissions.ActionSwitchMode:
		return nil
	}
	for _, path := range r.Paths {
		real, err := permissions.Resolve(r.Dir, path.Name)
		if err == nil && !r.Workspace.Contains(real) && len(lines) < mostRun {
			lines = append(lines, "Outside of the workspace: "+display.FullLine(real))
		}
	}
	return lines
}
