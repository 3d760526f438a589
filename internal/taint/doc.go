// Package taint finds the untrusted values in a bash script that could come to be run.
//
// A Script marks the places of values. Analyse parses it, follows each value outwards from its place, to the
// command that gets it as an argument or on its standard input, and on through variables, files, pipes,
// substitutions, functions and the code of nested shells. What each program does with its words is known to
// internal/shellwords. A value that comes to where something evaluates it is a Finding. Where only some
// values are more than data, the Slot keeps checks for the values of each call.
//
// Findings speak to a person who wrote the script: the word in the place of a value is a tag to him, and a
// cure may be a key of the parameter that the value belongs to.
package taint
