// Package config turns the YAML files that people write into checked values that remember where they were
// written.
//
// A file is read once, from one descriptor. A table for each mapping of a file says which keys may stand
// there and what reads them; internal/yamldoc reads the values, and reports the mistakes. A value that comes
// out has passed every check that can be made without running anything; an entry that asks for something this
// build cannot do comes out as unavailable, with that reason, rather than as less than its author wrote.
//
// Load puts the files of all layers together, and Watch does so again whenever one of them changes.
package config
