// Package pflagkind says what the types of flags take that github.com/spf13/pflag has, and which parameter of a tool a
// flag of each becomes.
package pflagkind
