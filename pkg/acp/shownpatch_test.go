package acp

import "testing"

// A patch is shown to a person as its lines are; whatever else an input holds stays JSON, of which nothing is hidden.
func TestShownInput(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ input, want string }{
		{`{"patch":"*** Begin Patch\n*** Add File: Makefile\n+all:\n+\techo \u001b[2J\n*** End Patch\n"}`,
			"```diff\n*** Begin Patch\n*** Add File: Makefile\n+all:\n+\techo \\u{1b}[2J\n*** End Patch\n```"},
		{"{\"patchText\":\"*** Begin Patch\\n```\\n*** End Patch\"}", "````diff\n*** Begin Patch\n```\n*** End Patch\n````"},
		{`{"patch":"a\nb","cwd":"/"}`, "```json\n{\"patch\":\"a\\nb\",\"cwd\":\"/\"}\n```"},
		{`{"patch":"a\nb","patch":"c"}`, "```json\n{\"patch\":\"a\\nb\",\"patch\":\"c\"}\n```"},
		{`{"patch":"a\nb\ud800"}`, "```json\n{\"patch\":\"a\\nb\\ud800\"}\n```"},
		{`{"patch":["a\nb"]}`, "```json\n{\"patch\":[\"a\\nb\"]}\n```"},
		{`{"command":"a\nb"}`, "```json\n{\"command\":\"a\\nb\"}\n```"},
	} {
		if got := shownInput([]byte(row.input)); got != row.want {
			t.Errorf("%s is shown as\n%s\nwant\n%s", row.input, got, row.want)
		}
	}
}
