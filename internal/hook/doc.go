// Package hook lets an agent's own hooks ask us before each act that the agent carries out itself. The agent
// starts Main before and after a tool; Main passes what it was told on over a private socket, waits, and
// prints the answer. The Door is at the other end, in the bridge.
//
// What each agent says and wants to hear is in a file of its own (claude.go). Where anything fails, the
// answer is no: an agent that asks nobody would go ahead.
package hook
