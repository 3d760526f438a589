// Package tooltest runs the examples of a tool as tests, each in a throw-away directory.
package tooltest
