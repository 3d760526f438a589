// Package confine runs commands in the sandbox for people and bridges: a command by its profile and flags
// (`sandbox exec`), a whole agent, or a command that an editor runs in a terminal for that agent, for which
// a ticket is good once. A Boundary limits what the bridge and the editor do for a confined agent to what
// the agent could do by itself.
package confine
