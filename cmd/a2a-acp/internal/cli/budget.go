package cli

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// What models can be offered without choosing worse, as a rule: more is said.
const (
	ManyTools  = 40
	ManyTokens = 20_000
)

// SayTokens says what so many tools cost, and what to do about too many.
func SayTokens(env *Environment, n, tokens int) {
	offered := display.Count(n, "tool is offered, and costs", "tools are offered, and cost")
	env.Say(fmt.Sprintf("%s about %d tokens (bytes/4)", offered, tokens))
	if n > ManyTools || tokens > ManyTokens {
		env.Say(fmt.Sprintf("more than %d tools or %d tokens are more than models choose well from: "+
			"offer fewer (serve: principals: NAME: mcp: tools:), or write expose: search in a2a-acp.yaml, "+
			"and MCP clients find tools by what they do", ManyTools, ManyTokens))
	}
}
