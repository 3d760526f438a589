package audit

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// endOf says in a word or two how an act ended.
func endOf(c audit.ActRecord) string {
	switch o := c.Outcome(); {
	case o == nil:
		return "-"
	case o.Status == string(tool.StatusFailed) && o.Signal != "":
		return display.Line(o.Signal)
	case o.Status == string(tool.StatusFailed) && o.ExitCode != nil && *o.ExitCode != 0:
		return fmt.Sprintf("exit %d", *o.ExitCode)
	case o.Status == string(tool.StatusFailed): // its program has ended well, and it is no success
		// The record has a failure as CODE: MESSAGE.
		if code, _, found := strings.Cut(o.Error, ": "); found && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") == "" {
			return strings.ReplaceAll(code, "_", " ")
		}
		return o.Status
	default:
		return strings.ReplaceAll(display.Line(o.Status), "_", " ")
	}
}

// TitleOf says in a line what the act was.
func TitleOf(c audit.ActRecord) string {
	act := c.Act()
	switch {
	case act == nil && c[0].Detail != "":
		return string(c[0].Type) + ": " + detail(c[0])
	case act == nil && len(c[0].Command) > 0:
		return string(c[0].Type) + ": " + display.Line(strings.Join(c[0].Command, " "))
	case act == nil:
		return string(c[0].Type)
	}
	words := []string{act.Kind}
	if act.Kind == string(permissions.ActionCall) {
		words = append(words, act.Tool)
	}
	switch {
	case act.Shell != "":
		words = append(words, act.Shell)
	case len(act.Paths) > 0:
		words = append(words, strings.Join(inWorkspace(act), ", "))
	case act.Kind == string(permissions.ActionCall):
	case act.Tool == "acp."+act.Kind && about(act) != "": // the id says no more than the kind
		words = append(words, about(act))
	case act.Tool != "":
		words = append(words, act.Tool)
	case act.Title != "":
		words = append(words, act.Title)
	}
	return display.Line(strings.Join(words, " "))
}

// about says what an act of the agent's own was about: the addresses among its arguments, or else what the agent calls it,
// in quotes, since it may call it as it likes; "" where neither is told.
func about(act *events.Act) string {
	var addresses []string
	for _, name := range slices.Sorted(maps.Keys(act.Arguments)) {
		if text, ok := act.Arguments[name].(string); ok && strings.Contains(text, "://") && !strings.ContainsAny(text, " \n") {
			addresses = append(addresses, text)
		}
	}
	switch {
	case len(addresses) > 0:
		return strings.Join(addresses, ", ")
	case act.Title != "":
		return strconv.Quote(display.Line(act.Title))
	}
	return ""
}

// inWorkspace names the files of an act, those in its workspace as they are called there.
func inWorkspace(act *events.Act) []string {
	names := slices.Clone(act.Paths)
	for i, name := range names {
		for _, dir := range act.Workspace {
			if below, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/"); ok && filepath.IsLocal(below) {
				names[i] = below
				break
			}
		}
	}
	return names
}
