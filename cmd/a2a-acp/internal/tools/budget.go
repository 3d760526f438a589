package tools

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

// sayBudget says what the tools cost that are offered: all that are exposed, or with `expose: search` the two that find
// and call them.
func sayBudget(env *cli.Environment, list []listedTool, search bool) {
	n, tokens := 0, 0
	for _, t := range list {
		if t.Exposed {
			n++
			tokens += t.Tokens
		}
	}
	if !search {
		cli.SayTokens(env, n, tokens)
		return
	}
	two := 0
	for _, t := range app.SearchTools("", n) {
		two += t.Tokens()
	}
	env.Say(fmt.Sprintf("in place of %s about %d tokens (bytes/4), find_tool and call_tool are offered "+
		"(expose: search), and cost about %d", display.Count(n, "tool, which costs", "tools, which cost"), tokens, two))
}
