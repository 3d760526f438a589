// Package shellwords knows what a program does with each of its words: which of them are plain data, which
// are read as options, as code, as a variable's name or as another command.
//
// It is the one table behind two questions. render asks whether a value may stand as a certain word;
// shellscan asks what a command can run. Both read a command with the same eyes, so that what one of them
// takes for data the other cannot take for a command.
//
//	words := shellwords.StaticAll(call.Args) // mvdan.cc/sh's words, quoting resolved
//	reading := shellwords.Read(words)
//	reading.Roles[k]   // what word k is: Program, Option, Operand, Code, Variable, …
//	reading.Programs   // what runs: env, then timeout, then rm; for find also what -exec names
//	reading.Code       // the texts that run as code: bash -c '…', eval, trap, awk '…'
//	reading.Stdin      // the language that standard input is run as: … | bash
//	reading.Unknown    // why it cannot be told what runs; "" when it can
//
// What programs do with their words is data: words in the rows of internal/command's commands.yaml. A
// program without them gets its words as data. What no row can say of a program stands here, in a
// reader of its own (special.go). Mini-languages that no option announces (ffmpeg's filters, git's ext::
// addresses) are not known here; the sandbox is the boundary for those.
package shellwords
