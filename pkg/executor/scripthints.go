package executor

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// endsAsCurl reports whether a call ended as curl -s does, without a word, where it found no host (6) or
// reached none (7, curl(1)).
func (a *act) endsAsCurl(code int) bool {
	return (code == 6 || code == 7) &&
		slices.ContainsFunc(shellscan.Scan(workOf(a.invocation).script, a.in.Commands).Commands,
			func(c shellscan.Command) bool {
				return command.In(command.SilentClients, filepath.Base(c.Name))
			})
}

// Refusals implements runner.
func (s scripts) Refusals(a *act, said string, exitCode int) []tool.Hint {
	settled, ok := a.plan.(sandbox.Plan)
	if !ok {
		return nil
	}
	var hints []tool.Hint
	for _, refusal := range s.host.Reach(settled).Refusals(said) {
		if a.call.Origin.Door != tool.DoorCLI && refusal.Path != "" && !a.call.Workspace.Contains(refusal.Path) {
			continue // a hint is only for what exists, so an agent could find out what there is outside
		}
		hint := a.hintOf(a.relative(refusal))
		hints = append(hints, hint)
	}
	network := a.hintOf(sandbox.Refusal{What: sandbox.RefusedNetwork})
	if !settled.Report().Network && a.endsAsCurl(exitCode) && !slices.Contains(hints, network) {
		hints = append(hints, network)
	}
	if name := a.missedHere(said); name != "" {
		hints = append(hints, tool.Hint{
			Refused: "find " + name + ", which lies in the caller's directory, and the call starts in another one",
			Allow:   `sandbox: {working_directory: ".", use_temp_isolation: false}`,
		})
	}
	return hints
}

// relative has a refusal grant "." in the place of the directory of the caller's: an entry is for all of them.
func (a *act) relative(r sandbox.Refusal) sandbox.Refusal {
	dir := a.tool.Sandbox.WorkingDirectory
	if (dir == "" || dir == ".") && r.Grant == realDirectory(a.call.Dir) {
		r.Grant = "."
	}
	return r
}

// missing is what programs say of a file that is not there.
var missing = whenFails(`(?m)['"‘]?([^\s:'"‘’]{1,200})['"’]?: No such file or directory`)

// missedHere returns a file of the caller's directory that the call could not find, since it did not start there:
// one that a value of the call names, and that the tool has said something of, or one that the tool says is not
// there; "" for none.
func (a *act) missedHere(said string) string {
	here := realDirectory(a.call.Dir)
	if a.invocation.Dir == here && !workOf(a.invocation).sandbox.TempIsolation {
		return ""
	}
	if a.call.Origin.Door != tool.DoorCLI && !a.call.Workspace.Contains(here) {
		return ""
	}
	root, err := os.OpenRoot(here) // a link in it tells nothing of what lies outside
	if err != nil {
		return ""
	}
	defer func() { _ = root.Close() }()
	secret := a.tool.SecretParameters()
	for _, name := range slices.Sorted(maps.Keys(a.arguments)) {
		value, ok := a.arguments[name].(string)
		if !ok || secret[name] || !filepath.IsLocal(value) || filepath.Clean(value) == "." ||
			!strings.Contains(said, value) {
			continue
		}
		if _, err := root.Lstat(value); err == nil {
			return yamlText(value)
		}
	}
	for _, match := range missing().FindAllStringSubmatch(said[max(0, len(said)-lastWords):], -1) {
		if name := match[1]; filepath.IsLocal(name) && filepath.Clean(name) != "." {
			if _, err := root.Lstat(name); err == nil {
				return yamlText(name)
			}
		}
	}
	return ""
}

// hintOf says a refusal, and what the tool's annotations have to do with it: against them no line alone would help.
func (a *act) hintOf(r sandbox.Refusal) tool.Hint {
	hint := hintOf(r)
	switch {
	case r.What == sandbox.RefusedWrite && a.tool.IsReadOnly():
		hint.Refused, hint.Allow = hint.Refused+", and a tool with readOnlyHint: true writes nowhere", ""
	case r.What == sandbox.RefusedNetwork && a.tool.SaysClosed():
		hint.Allow = "openWorldHint: true in annotations, and " + hint.Allow
	}
	return hint
}

// hintOf says a refusal in the words of tools.yaml. No line is offered for what is a secret, or is run or
// believed by others.
func hintOf(r sandbox.Refusal) tool.Hint {
	hint := tool.Hint{Refused: strings.TrimSpace(r.What + " " + r.Path)}
	if r.Path != "" {
		if what := sensitive.Delicate(r.Path); what != "" {
			hint.Refused += ", which " + what
			return hint
		}
	}
	switch {
	case r.What == sandbox.RefusedNetwork:
		hint.Allow = "sandbox.network: on"
	case r.What == sandbox.RefusedRun:
		hint.Allow = "sandbox.allowed_commands: [" + yamlText(r.Grant) + "]"
	case r.Grant == "":
	case r.What == sandbox.RefusedConnect:
		hint.Allow = "sandbox.sockets: [" + yamlText(r.Grant) + "]"
		hint.Refused += ", behind which there may be a service with more rights than the call"
	case r.What == sandbox.RefusedRead:
		hint.Allow = "sandbox.allowed_paths: [{path: " + yamlText(r.Grant) + ", access: read}]"
	default:
		hint.Allow = "sandbox.allowed_paths: [" + yamlText(r.Grant) + "]"
	}
	return hint
}

// yamlText writes a text as YAML reads it back: as it is where nothing in it means anything, else as JSON
// does, which YAML reads.
func yamlText(s string) string {
	if s != "." && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+@-") == "" {
		return s
	}
	quoted, _ := json.Marshal(s) // a string can always be written
	return string(quoted)
}
