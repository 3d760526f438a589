// Package a2a is the A2A door: it serves the Agent2Agent protocol 1.0 on JSON-RPC, HTTP+JSON and gRPC, and 0.3 on
// JSON-RPC and HTTP+JSON, at one URL, to clients that may be anybody's.
//
// A request of any binding becomes a query: one operation, with its parameters in the JSON of 1.0. What the
// operations do is written once (operations.go, send.go, stream.go, list.go), and nothing of it knows who speaks
// which language.
//
//	jsonrpc.go, rest.go, grpc.go   → canonical.go → operations → sse.go and the same three
//	legacy.go, legacypush.go         0.3, on its way in and out
//
// A task is a log (internal/tasklog), and what clients are told of it is folded from its events (snapshot.go). Every
// stream is that log, read from some number on: the same for everybody, before and after a restart.
//
// Behind an endpoint stands an Agent. It works on a task by turns (turn.go): it says what happens, which is on disk
// before anybody is told, and may ask the client and wait. ToolAgent is the one whose skills are tools (tools.go), and
// ACPAgent one that has an agent work that speaks ACP (acpagent.go, and what it tells and asks: acpplay.go, acpask.go).
//
// Who calls is told by Options.Caller. What belongs to another caller does not exist: a task that is somebody
// else's and one that was never made get the same answer.
//
// Each task that is worked on has a goroutine (run), which ends with the work, and each call of a tool one that
// tells its output. Close waits for all of them.
package a2a
