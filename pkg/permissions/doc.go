// Package permissions decides by rules whether an act may happen.
//
// An Authority takes a Request and returns a Decision: approve, reject, or ask a person. It never asks
// anybody itself and never waits. Authority.Decide documents what it considers and in which order. The
// strongest answer holds, and whatever cannot be read, resolved or understood is asked.
//
//	Set         the rules of all policy files, compiled              ruleset.go, match.go, glob.go
//	            what commands a rule covers                          command.go, exceeds.go, widening.go, builtin.go
//	            what git says of a repository                        git.go
//	            files that run, decide or hold a secret              sensitive.go, internal/sensitive
//	Authority   rules, doubts, session grants and defaults together  authority.go, defaults.go, session.go
//	Evaluation  a request with its resources and its shell text      evaluation.go, path.go, shelltext.go
//	Facts       what one decision knows of the files                 facts.go
//	Permit       what the executor runs by                            permit.go
//	Obligation  what has to be done with an approved act             obligation.go
//	Preset      the rule sets that come with the program             preset.go
//
// Two asymmetries run through all of it. A rule that approves must see everything that the act touches and
// recognise all of it; a rule that stops needs to see one thing, under any name that the act could mean.
// And what cannot be told keeps the first kind of rule from matching, never the second.
package permissions
