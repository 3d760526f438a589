// Package tooltest makes the calls that the author of a tool gives as examples, each in a throw-away
// directory, and holds what they come to against what is expected.
package tooltest
