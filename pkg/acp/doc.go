// Package acp is the door for agents that speak the Agent Client Protocol: a proxy on the stdio between an
// editor and an agent, which lets the agent's acts through only as they were decided.
//
//	editor ── frames ──▶ fromEditor ──▶ agent
//	editor ◀── fromAgent ◀── frames ── agent
//
// A Bridge is a relay first. Every line reaches the other side with the bytes it came with, in order,
// unless one of the intercepts owns it; the table in intercept.go lists them. To understand the package,
// read bridge.go (the life of a bridge), lane.go (one direction), intercept.go (who owns what) and then one
// intercept, for example file.go.
//
// # Order
//
// Each direction has one goroutine that reads, decides and writes, so lines keep their order, and no
// response overtakes a notification that came before it. Only an intercept that must wait for a person
// leaves that goroutine. What it writes later keeps its position in its session's queue (outbox.go), and
// updates of its card wait with it.
//
// # Strictness
//
// A line from the agent that two readers could read differently is answered with -32600 and not passed on:
// Go's JSON folds the case of keys and keeps the last duplicate, other readers do not, and an agent must not
// be able to choose the reader it is judged by. The same holds for a question that means something else in
// another version of the protocol, and for an answer to a request that is not open.
//
// # Trust
//
// The editor is trusted to speak for the person. The agent is not: what it says of its own acts are claims
// (toolcallclaim.go).
package acp
