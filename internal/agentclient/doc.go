// Package agentclient drives agents that speak the Agent Client Protocol for somebody who has no editor, such
// as an A2A client or a script.
//
// It is an editor for a bridge (pkg/acp): each agent runs behind a bridge of its own, so that what the agent
// does is decided, asked, confined and recorded as it is behind a person's editor. What an editor does
// for an agent is done here: files are read and written, terminals run, and a person's questions are
// passed on to whoever sent the prompt.
//
// Start with agents.go, which is all that a door needs to know.
package agentclient
