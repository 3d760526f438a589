package hook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCodex(t *testing.T) {
	t.Parallel()
	const patch = "*** Begin Patch\\n*** Add File: a\\n+x\\n*** End Patch\\n"
	event := func(tool, input string) string {
		return `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"` + tool + `","tool_input":` + input + `,"tool_use_id":"c"}`
	}
	command := func(text string) Call { return Call{Tool: "Bash", Kind: "execute", Title: text} }
	for _, test := range []struct {
		name, event string
		want        Call // without what all have
		input, err  string
	}{
		{"a command", event("Bash", `{"command":"ls"}`), command("ls"), `{"command":"ls"}`, ""},
		{"a patch", event("Bash", `{"command":"apply_patch <<'PATCH'\n`+patch+`PATCH"}`),
			Call{Tool: "Bash", Kind: "edit", Title: "apply_patch"}, `{"patch":"` + patch + `"}`, ""},
		{"a patch, and a command", event("Bash", `{"command":"apply_patch <<'PATCH'\n`+patch+`PATCH\nls"}`),
			command("apply_patch <<'PATCH'\n" + strings.ReplaceAll(patch, `\n`, "\n") + "PATCH\nls"), "", ""},
		{"a patch that ends before", event("Bash", `{"command":"apply_patch <<'P'\n*** Begin Patch\nP\nls\n*** End Patch\nP"}`),
			command("apply_patch <<'P'\n*** Begin Patch\nP\nls\n*** End Patch\nP"), "", ""},
		{"a patch that the shell fills in", event("Bash", `{"command":"apply_patch <<P\n`+patch+`P"}`),
			command("apply_patch <<P\n" + strings.ReplaceAll(patch, `\n`, "\n") + "P"), "", ""},
		{"an image", event("view_image", `{"path":"a.png"}`), Call{Tool: "view_image", Kind: "read", Title: "view_image a.png"}, "", ""},
		{"a tool of a server", event("mcp__s__t", `{}`), Call{Tool: "mcp__s__t", Title: "mcp__s__t"}, "", ""},
		{"an agent below", event("spawn_agent", `{"message":"go"}`), Call{Tool: "spawn_agent", Title: "spawn_agent", Harmless: true}, "", ""},
		{"waiting for it", event("multi_agent_v1wait_agent", `{"targets":["a"]}`),
			Call{Tool: "multi_agent_v1wait_agent", Title: "multi_agent_v1wait_agent", Harmless: true}, "", ""},
		{"another tool of theirs", event("multi_agent_v1shell", `{"command":"ls"}`),
			Call{Tool: "multi_agent_v1shell", Title: "multi_agent_v1shell"}, "", ""},
		{"no id", `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`, Call{}, "", "was not told which tool"},
		{"another moment", `{"hook_event_name":"Stop"}`, Call{}, "", `was started for "Stop"`},
		{"a list for input", event("Bash", `[]`), Call{}, "", `the input of Codex' "Bash"`},
		{"no JSON", `no`, Call{}, "", "what Codex told its hook"},
		{"two tools", `{"Tool_Name":"update_plan",` + event("Bash", `{"command":"ls"}`)[1:], Call{}, "", "stands there twice"},
		{"two directories", `{"cwd":"/v",` + event("Bash", `{"command":"ls"}`)[1:], Call{}, "", "stands there twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadCodex([]byte(test.event))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if test.input != "" && string(got.Input) != test.input {
				t.Errorf("input %s, want %s", got.Input, test.input)
			}
			got.Input = nil
			test.want.ID, test.want.Dir, test.want.Sessions = "c", "/w", []string{"s"}
			test.want.Final, test.want.CardEnds, test.want.ServerTools = true, true, "mcp__?__"
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestCodexConfig holds what is put beside a person's own settings. That Codex takes the hash, the real one
// shows.
func TestCodexConfig(t *testing.T) {
	t.Parallel()
	if got, want := codexTrust(codexHook("'/a<b>&c/a2a-acp' hook codex '/s' || exit 2", "")), "sha256:03cf1d199c543c1f388abf662037ba9a9bbb3959c084e25d2fdb39950175f541"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got, err := CodexConfig(`{"model":"m","features":{"hooks":false,"skill_mcp_dependency_install":true,"x":true},"hooks":{"PreToolUse":[{"hooks":[]}],"state":{"a":{}}}}`,
		Endpoint{Self: "/it's/a2a-acp", Socket: "/s/socket"})
	if err != nil {
		t.Fatal(err)
	}
	const command = `'/it'\''s/a2a-acp' hook codex '/s/socket' || exit 2`
	var have, want any
	ours := map[string]any{"matcher": "*", "hooks": []any{map[string]any{"type": "command", "command": command, "timeout": 86400.0}}}
	want = map[string]any{"model": "m", "features": map[string]any{"hooks": true, "skill_mcp_dependency_install": false, "x": true}, "hooks": map[string]any{
		"PreToolUse": []any{map[string]any{"hooks": []any{}}, ours},
		"state": map[string]any{"a": map[string]any{}, "/<session-flags>/config.toml:pre_tool_use:1:0": map[string]any{
			"trusted_hash": codexTrust(codexHook(command, ""))}}}}
	if err := json.Unmarshal([]byte(got), &have); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, theirs := range []string{"{", `[]`, `{"features":[]}`, `{"hooks":1}`, `{"hooks":{"PreToolUse":{}}}`} {
		if _, err := CodexConfig(theirs, Endpoint{}); err == nil {
			t.Errorf("%s was replaced", theirs)
		}
	}
}

// What Codex shows while it waits is a part of the hook that it trusts.
func TestCodexShows(t *testing.T) {
	t.Parallel()
	at := Endpoint{Self: "/a2a-acp", Socket: "/s/socket", Shown: "it waits"}
	shown, silent := codexHook(codexCommand(at), at.Shown), codexHook(codexCommand(at), "")
	if words := strings.Join(codexWords(at), " "); !strings.Contains(words, `"statusMessage"="it waits"`) ||
		!strings.Contains(words, codexTrust(shown)) || codexTrust(shown) == codexTrust(silent) {
		t.Errorf("got %s", words)
	}
}

func TestCodexProof(t *testing.T) {
	t.Parallel()
	at := Endpoint{Self: "/a2a-acp", Socket: "/s/socket"}
	hash := codexTrust(codexHook(codexCommand(at), ""))
	_, _, holds := codexProof("/w", at)
	for result, want := range map[string]bool{
		`{"hooks":[{"trustStatus":"untrusted","currentHash":"x"},{"trustStatus":"trusted","currentHash":"` + hash + `","enabled":true}]}`: true,
		`{"hooks":[{"trustStatus":"untrusted","currentHash":"` + hash + `"}]}`:                                                            false,
		`{"hooks":[{"trustStatus":"trusted","currentHash":"` + hash + `","enabled":false}]}`:                                              false,
		`{"hooks":[{"trustStatus":"trusted","currentHash":"x"}]}`:                                                                         false,
		`{"hooks":[]}`: false,
		`[]`:           false,
	} {
		if err := holds(json.RawMessage(result)); (err == nil) != want {
			t.Errorf("%s: got %v", result, err)
		}
	}
}
