// Package command is the catalogue of what programs do with their words: commands.yaml has a row for each
// program, and there is a reader for each parser of options.
//
//	row, at := command.Lookup("git", []string{"log", "-n", "5"})
//	reading := row.Read([]string{"-n", "5"})
//	reading.Options   // -n, with the value 5, which is never opened
//	reading.Operands  // the words that belong to no option
//
// A row says by which parser its program reads: that of getopt takes the word behind tar -fx for no file,
// and that of tar does. Its tests hold every row against the real program.
package command
