// Package secret holds the values that tools are given and nobody else may see: where they are kept
// (Store), how a reference to one becomes its value (Vault), and how a value is taken out of what a tool
// prints (Redactor).
//
// A value leaves this package in two ways only: into the environment of the process that it is for, and
// into the store's own file. No error holds one, nor what a program has said that was asked for one.
package secret
