package trust

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// writeBrought shows what a workspace brings, in short; of what was trusted before, what changed.
func writeBrought(w io.Writer, b *trust.WorkspaceFiles) {
	fmt.Fprintf(w, "%s brings\n", display.Line(b.Dir))
	for _, file := range b.Files {
		pin, pinned := b.Before.Files[file.Name]
		switch {
		case !file.Changed:
			fmt.Fprintf(w, "\n%s, as it was trusted before\n", display.Line(file.Name))
		case pinned && pin.Text != "":
			fmt.Fprintf(w, "\n%s, changed since %s:\n\n", display.Line(file.Name), b.Before.Since.Format("2006-01-02"))
			fmt.Fprintln(w, cli.Indent(display.Whole(string(diff.Diff("trusted", []byte(pin.Text), "now",
				file.Data)))))
		case pinned:
			fmt.Fprintf(w, "\n%s, changed; what it was is too long to be kept\n", display.Line(file.Name))
		case b.Known:
			fmt.Fprintf(w, "\n%s, which is new\n", display.Line(file.Name))
		default:
			fmt.Fprintf(w, "\n%s\n", display.Line(file.Name))
		}
		writeSays(w, file)
		for _, what := range file.Unasked {
			fmt.Fprintf(w, "  an agent goes by it without asking: %s\n", display.Line(what))
		}
	}
	for _, name := range b.Gone {
		fmt.Fprintf(w, "\n%s is gone: what it said no longer counts\n", display.Line(name))
	}
	writeWanted(w, b)
	if len(b.Scripts) > 0 {
		fmt.Fprintln(w, "\nscripts that its tools name")
	}
	for _, script := range b.Scripts {
		fmt.Fprintf(w, "  %s, %s\n", display.Line(script.Name), scriptInWords(b, script))
	}
}

// writeWanted says which tools get what is the person's. It stands apart, since it is what no sandbox keeps
// from them then.
func writeWanted(w io.Writer, b *trust.WorkspaceFiles) {
	if b.Asks() == 0 {
		return
	}
	fmt.Fprintln(w, "\nwith your yes these tools are given what is yours, and their scripts can do with it what they like")
	for _, file := range b.Files {
		for _, loaded := range file.Says.Tools {
			for _, name := range slices.Sorted(maps.Keys(loaded.Tool.Sandbox.References)) {
				reference := loaded.Tool.Sandbox.References[name]
				outside := ""
				if reference.Command != nil {
					outside = ", a command that is run outside of the sandbox"
				}
				fmt.Fprintf(w, "  %s gets %s%s%s\n", display.Line(loaded.Tool.ID),
					display.Line(name+" from "+reference.String()), sentTo(&loaded.Tool, name), outside)
			}
			if loaded.Tool.HTTP != nil {
				if from := loaded.Tool.HTTP.API.Auth.Token; from.Caller {
					fmt.Fprintf(w, "  %s gets the token that whoever calls has shown, and sends it to %s\n", display.Line(loaded.Tool.ID),
						display.Line(from.URL))
				}
				for _, address := range loaded.Tool.HTTP.API.Addresses {
					fmt.Fprintf(w, "  %s may send requests to %s, by the name %s\n", display.Line(loaded.Tool.ID), address,
						display.Line(loaded.Tool.HTTP.API.Origin))
				}
			}
			if a := loaded.Tool.A2A; a != nil {
				for _, address := range a.Allow {
					fmt.Fprintf(w, "  %s may talk to an agent at %s, by the name %s\n", display.Line(loaded.Tool.ID), address,
						display.Line(a.URL))
				}
			}
			for _, name := range loaded.Tool.Sandbox.Grants {
				risk := ""
				if g, err := grant.Named(name); err == nil {
					risk = ": " + g.Risk
				}
				fmt.Fprintf(w, "  %s gets the grant %s%s\n", display.Line(loaded.Tool.ID), display.Line(name), risk)
			}
		}
	}
}

// sentTo says where a credential goes that a tool is given; "" where the tool's own program has it.
func sentTo(t *tool.Tool, name string) string {
	switch {
	case t.HTTP != nil && (name == tool.ClientSecret || name == tool.Subject):
		return ", and sends it to " + display.Line(t.HTTP.API.Auth.Token.URL)
	case t.HTTP != nil:
		return ", and sends it to " + display.Line(t.HTTP.API.Origin)
	case t.A2A != nil:
		to := append([]string{t.A2A.URL}, t.A2A.Origins...)
		return ", and sends it to " + display.Line(strings.Join(to, ", "))
	}
	return ""
}

func scriptInWords(b *trust.WorkspaceFiles, script trust.WorkspaceScript) string {
	words := fmt.Sprintf("%d bytes", len(script.Data))
	if script.SHA256 == "" {
		words = "which is not there; the tool will not run once it is"
	}
	if _, pinned := b.Before.Scripts[script.Name]; pinned && script.Changed {
		words += ", changed"
	}
	return words
}

// writeSays lists the rules, governors and tools of a file, a line each.
func writeSays(w io.Writer, file trust.WorkspaceFile) {
	out := cli.Table{Head: []string{"", "", "", ""}}
	for _, rule := range file.Says.Policies {
		out.Add("  "+rule.Verdict.String(), display.Line(rule.ID),
			display.Line(strings.Join(rule.AppliesTo, " ")), fmt.Sprintf("line %d", rule.Source.Line))
	}
	for _, governor := range file.Says.Governors {
		out.Add("  "+governor.Phase, display.Line(governor.ID), governor.Kind,
			fmt.Sprintf("line %d", governor.Source.Line))
	}
	for _, loaded := range file.Says.Tools {
		out.Add("  tool", display.Line(loaded.Tool.ID), mayInWords(&loaded.Tool),
			cli.FirstLine(loaded.Tool.Description))
	}
	out.WriteRows(w)
	for _, warning := range file.Says.Warnings {
		fmt.Fprintln(w, display.Whole(warning.Error()))
	}
}

// mayInWords says what a tool may reach beyond its directory.
func mayInWords(t *tool.Tool) string {
	s := t.Sandbox
	var may []string
	switch {
	case t.HTTP != nil:
		may = append(may, "sends "+display.Line(t.HTTP.Line))
	case t.A2A != nil:
		may = append(may, "has "+display.Line(t.A2A.URL)+" do it")
	case s.Network == tool.NetworkOn:
		may = append(may, "network")
	}
	for _, path := range s.AllowedPaths {
		may = append(may, map[bool]string{true: "reads ", false: "writes "}[path.ReadOnly]+display.Line(path.Path))
	}
	for _, grant := range s.Grants {
		may = append(may, "grant "+display.Line(grant))
	}
	for _, socket := range s.Sockets {
		may = append(may, "socket "+display.Line(socket))
	}
	for _, name := range slices.Sorted(maps.Keys(s.References)) {
		may = append(may, display.Line(name+" from "+s.References[name].String()))
	}
	if s.RequiresConfirmation {
		may = append(may, "asks each time")
	}
	if len(may) == 0 {
		return "nothing beyond its directory"
	}
	return strings.Join(may, ", ")
}

// isUnread reports whether a file, of which pin is what was trusted before, is new or has changed, and no difference was shown.
func isUnread(changed bool, pin string) bool { return changed && pin == "" }

// fullText is every byte of the files that are about to be trusted, or of those that are wanted, with what could pretend to be
// something else escaped.
func fullText(b *trust.WorkspaceFiles, wanted func(changed bool, pin string) bool) string {
	var w strings.Builder
	add := func(name string, data []byte, changed bool, pin string) {
		if wanted == nil || wanted(changed, pin) {
			fmt.Fprintf(&w, "\n── %s\n%s\n", display.Line(name), cli.Indent(display.Whole(string(data))))
		}
	}
	for _, file := range b.Files {
		add(file.Name, file.Data, file.Changed, b.Before.Files[file.Name].Text)
	}
	for _, script := range b.Scripts {
		if script.SHA256 != "" {
			add(script.Name, script.Data, script.Changed, "")
		}
	}
	return w.String()
}
