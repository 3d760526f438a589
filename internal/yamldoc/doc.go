// Package yamldoc reads YAML files that people write into values that know where they stand.
//
// A file is bounded before anything looks at it: its size, its nodes, its depth, its aliases. Parse returns
// it as a Document, whose Root is a Value. The methods of a Value return what stands there, and report what
// does not belong there; a Mapping says which keys may stand in one, and which was meant where another one
// stands. Every mistake of the file is found at once, each with its line, its column, the line itself without
// the secrets in it and, where it is known, the cure. Where the YAML itself is broken, a guess at what was
// meant lets reading go on to the other mistakes: it is told, and the file is never used.
//
// What the values mean is for the packages to say that ask for them.
package yamldoc
