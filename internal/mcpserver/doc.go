// Package mcpserver is the MCP door: an MCP server that offers tools, resources and prompts to any client of
// the Model Context Protocol.
//
// There is one Server, and three fronts by which clients reach it: ServeStdio on two streams, HTTP at an URL,
// and ServeStdio again, in a process that an agent of a bridge starts, with tools that lie behind a socket
// (internal/toolsocket). What the tools are, and who may call them, is for Tools to know.
//
// MCP has two eras. Up to 2025-11-25 a client begins a session with initialize; since 2026-07-28 each request
// stands for itself and says in its _meta what it needs to be understood. Each request is answered by the era
// that it is of, also where both stand on one stream. In the older era a Server asks a client in the middle of
// a request; in the newer it answers that it needs something (InputRequired), and the client makes the request
// again. What it carries in between is signed, and the Server remembers nothing.
//
// Everything that a client sends is a stranger's: messages are bounded and read as their strictest reader
// would, the arguments of a call are passed on by their very bytes, and how a client calls itself is told to
// whoever shows it, and decides nothing.
package mcpserver
