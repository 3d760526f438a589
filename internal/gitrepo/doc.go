// Package gitrepo asks git which settings of a repository are in force, and says whether git could run a
// program, or leave the repository, because of them.
//
// What git finds, includes and expands is git's own business: this package never reads a repository the way
// git does, since every difference between two readers was a way to have code run by git status. It asks
// the git that would run (ask.go), in the directory where it would run, and holds every setting that some
// file gives against a list of those that are known to be harmless (settings.yaml). What git does not
// answer, or what is not in the list, is a reason to ask a person.
package gitrepo
