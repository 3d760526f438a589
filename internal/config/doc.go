// Package config turns the YAML files that people write into checked values that remember where they were written.
//
// A file is read once, from one descriptor, and bounded before anything looks at it: its size, its nodes, its depth, its
// aliases. Then each noun's table of keys says what may stand there, and every mistake of the file is reported at once,
// each with the line, the column and, where we know it, the cure. A value that comes out has passed every check that can
// be made without running anything; an entry that asks for something this build cannot do comes out as unavailable, with
// that reason, rather than as less than its author wrote.
//
// Load puts the files of all layers together, and Watch does so again whenever one of them changes.
package config
