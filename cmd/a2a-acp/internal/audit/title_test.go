package audit

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestEnds says in a word how calls ended, and of none that failed that it ended with 0.
func TestEnds(t *testing.T) {
	t.Parallel()
	zero, three := 0, 3
	for want, o := range map[string]*events.Outcome{
		"-":            nil,
		"completed":    {Status: "completed", ExitCode: &zero},
		"exit 3":       {Status: "failed", ExitCode: &three, Error: "the last line that it said: of these"},
		"SIGKILL":      {Status: "failed", Signal: "SIGKILL", Error: "resource_limit: too much"},
		"output limit": {Status: "failed", ExitCode: &zero, Error: "output_limit: more than 1 MB"},
		"failed":       {Status: "failed", ExitCode: &zero, Error: "No such thing: x"},
		"not done":     {Status: "not_done"},
	} {
		var entry audit.Entry
		entry.Type, entry.Outcome = events.ToolEnded, o
		if got := endOf(audit.ActRecord{entry}); got != want {
			t.Errorf("%+v ends with %q, want %q", o, got, want)
		}
	}
}

// TestDetail has what a file's mistakes say in a line.
func TestDetail(t *testing.T) {
	t.Parallel()
	var entry audit.Entry
	entry.Detail = "a2a-acp.yaml:3:1: unknown key \"x\"\n  hint: did you mean y?\na2a-acp.yaml:4:1: \x1b[2J\n"
	if got, want := detail(entry), `a2a-acp.yaml:3:1: unknown key "x"; hint: did you mean y?; a2a-acp.yaml:4:1: \u{1b}[2J`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestTitles says in a line what was fetched or searched: by the address, or in the agent's words, and these in quotes.
func TestTitles(t *testing.T) {
	t.Parallel()
	address := map[string]any{"prompt": "read it", "url": "https://example.com/a"}
	for want, act := range map[string]*events.Act{
		"fetch https://example.com/a": {Kind: "fetch", Tool: "acp.fetch", Title: "the weather", Arguments: address},
		`fetch "the weather"`:         {Kind: "fetch", Tool: "acp.fetch", Title: "the weather", Arguments: map[string]any{"query": "rain"}},
		`search "grep TODO\\u{1b}"`:   {Kind: "search", Tool: "acp.search", Title: "grep TODO\x1b"},
		"search src":                  {Kind: "search", Tool: "acp.search", Paths: []string{"src"}},
		"search acp.search":           {Kind: "search", Tool: "acp.search"},
		"other mcp__s__t":             {Kind: "other", Tool: "mcp__s__t", Title: "x"},
	} {
		var entry audit.Entry
		entry.Type, entry.Act = events.ToolDecided, act
		if got := TitleOf(audit.ActRecord{entry}); got != want {
			t.Errorf("%+v is %s, want %s", act, got, want)
		}
	}
}
