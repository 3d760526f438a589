// Package app puts the program together: configuration, state, policies, sandbox, executor and doors, each
// with what it needs and nothing else. Only the verbs in cmd/a2a-acp import it. Nothing in it is global, so
// a test can run two Apps side by side.
package app
