package tools

import (
	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
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
	cli.SayTokens(env, n, tokens)
}
