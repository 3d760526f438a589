package tools

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// What models can be offered without choosing worse, as a rule: more is said.
const (
	manyTools  = 40
	manyTokens = 20_000
)

// sayBudget says what the tools cost that are offered.
func sayBudget(env *cli.Environment, list []listedTool) {
	n, tokens := 0, 0
	for _, t := range list {
		if t.Exposed {
			n++
			tokens += t.Tokens
		}
	}
	sayTokens(env, n, tokens)
}

// sayTokens says what so many tools cost, and what to do about too many.
func sayTokens(env *cli.Environment, n, tokens int) {
	env.Say(fmt.Sprintf("%d tools are offered, and cost about %d tokens (bytes/4)", n, tokens))
	if n > manyTools || tokens > manyTokens {
		env.Say(fmt.Sprintf("more than %d tools or %d tokens are more than models choose well from: "+
			"offer fewer (serve: principals: NAME: mcp: tools:), or write expose: search in a2a-acp.yaml, "+
			"and MCP clients find tools by what they do", manyTools, manyTokens))
	}
}
