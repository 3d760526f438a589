// Package cliimport makes tools of the commands of a program that was written with Cobra, by asking the program
// from outside what it has: its completions (__complete), its help, and
// its own list of tools (`mcp tools`), where it has one. No other command of it is run.
//
// What a program says of itself is a stranger's text. It is asked in the sandbox, without a network, a home or a
// place to write to, for a few seconds and a megabyte each time, and what it says is cleaned before anybody reads it.
// Nothing is taken on trust that can be tried: a flag's type is what the program's own parser says to a value that no
// type takes.
package cliimport
