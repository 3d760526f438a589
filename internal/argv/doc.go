// Package argv makes the words that a program is started with out of the arguments of a call: what a value
// holds stays in its own word, so that no value becomes another flag.
package argv
