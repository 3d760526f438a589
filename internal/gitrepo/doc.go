// Package gitrepo reports whether git could run a program, or leave a repository, because of the
// repository's settings.
//
// It does not imitate git: every difference between two readers of a repository was a way to make git status
// run code. It asks the git that would run (ask.go), in the directory where it would run, which settings
// are in force, and compares each one that a file sets with a list of those that are known to be harmless
// (settings.yaml). A setting that is not in the list, or a question that git does not answer, is a reason to
// ask a person.
package gitrepo
