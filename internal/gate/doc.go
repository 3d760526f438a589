// Package gate is the one way to an effect.
//
// Whatever an agent, a client or a person wants to happen is an Act, whichever door it comes through: a
// tool of ours, a file or a terminal of the editor's, something that an agent asks before it does it by
// itself. All of them take the same way (see Pass):
//
//	decide    the rules, and what was answered about the very same act a moment ago
//	govern    programs, URLs, expressions and counters, which can only take away
//	ask       a person, where the rules or the governors say so
//	recheck   is it still what was decided about?
//	record    on disk, before anything happens
//
// Nothing further down lifts what stands above: a rejection is final, and governors are asked after the
// rules and before the person.
package gate
