// Package unasked tells what in a repository has an agent do something that nobody is asked about: settings that run
// programs by themselves, load code into the agent, or change what the commands that were decided about do.
//
// What is known to be harmless stands in lists; whatever else a repository says is told. What it names, a server's
// program for one, is not looked at.
package unasked
