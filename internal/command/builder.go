package command

import "path/filepath"

// Builder returns the program that a command runs which builds or tests the project, and so runs its code: itself (npm test),
// or as a module of an interpreter's (python3 -m pytest). at is where its words begin. It is "" for another command.
func Builder(name string, words []string) (program string, at int) {
	program = filepath.Base(name)
	if len(words) > 1 && Subcommands(ModuleOptions, program)[words[0]] {
		program, at = words[1], 2
	}
	if !Builds(program) {
		return "", 0
	}
	return program, at
}

// Builds reports whether a program builds or tests the project.
func Builds(program string) bool { return In(Builders, program) && !In(NetworkClients, program) }
