// Package confine runs commands in the sandbox as people and bridges ask for them: one command by its
// profile and flags (`sandbox exec`), a whole agent, and what an editor runs in a terminal for that agent
// (by ticket, good for one time). A Boundary holds what the bridge and the editor do for a confined agent
// to what the agent could do by itself.
package confine
