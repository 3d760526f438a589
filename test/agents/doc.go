// Package agents tests the program with real agents: Gemini CLI, Claude's and Codex' ACP adapters and
// opencode, as npm has them, against a model server of our own on loopback.
//
// `make test-agents` installs the agents (package.json names their exact versions) and runs everything. The
// tests stand behind the build tag "agents", so that `go test ./...` needs no npm; they fail, and do not
// skip, where something that they need is missing. What they are made of is under internal, and is tested
// like any other package:
//
//	model     a model server without a model: each prompt carries the answers that it gives
//	editor    a strict editor: reports whatever the protocol forbids, writes down every frame
//	witness   an MCP server that writes down what it is asked: the editor's own, in the tests
//	wiretap   stands between bridge and agent, and writes down what passes
//	schema    judges frames by the SDK's JSON schemas
//
// Every scenario (scenario_test.go) is played twice: with the agent alone (TestBare), which says what agent
// and fixtures do by themselves, and through the bridge (TestBridge), which must come to the same. The rest
// needs the bridge: what policies do to real agents (policy_test.go), how our own tools reach them
// (tools_test.go), and agents whose hooks ask before each act (hooks_test.go), Codex and opencode among them.
//
// `go test -tags agents -run Bare ./test/agents` is the half that needs no bridge. A2A_BRIDGE names another
// bridge to test than the one that the test builds from this module, in words: "/path/to/a2a-acp bridge".
package agents
