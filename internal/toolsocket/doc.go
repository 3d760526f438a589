// Package toolsocket carries tools from the process that has them to one that an agent starts.
//
// Behind a bridge the MCP door has two halves, in two processes of the same program. The agent starts `a2a-acp
// mcp --attach SOCKET` as its stdio MCP server: Attach, a mcpserver.Server whose tools are those of the
// socket. It hands every call to the bridge, where tools, policies and the record are: Listen, which waits
// on a UNIX socket.
//
//	agent ── MCP, stdio ──▶ Attach ── JSON-RPC, UNIX socket ──▶ Door ── mcpserver.Tools ──▶ the bridge
//
// The agent can reach the socket and is not trusted, so a Door is narrow: its directory is ours alone
// (0700) and has a random name, only our own user is let in, and only once, with a token that the bridge
// put into the environment of that MCP server entry. What can be said on it is hello, tools/list,
// tools/call and cancel; frames and concurrent calls are bounded. Approving, trusting or changing anything
// cannot be said at all.
//
// One Door is for one request of the editor's that opens a session: an agent that loads a session again
// starts another process, which has a Door of its own, and the first goes on serving at its own.
//
// A call ends when it is cancelled, when the agent or the process in between goes away, and when the Door
// is closed.
package toolsocket
