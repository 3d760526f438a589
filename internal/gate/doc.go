// Package gate is the one way to an effect.
//
// Everything that an agent, a client or a person wants to happen is an Act, whichever door it comes through:
// a call of one of our tools, a file or a terminal of the editor's, or something that an agent asks about
// before it does it itself. Every Act passes the same steps (see Pass):
//
//	decide    by the rules, and by recent answers about the same act
//	govern    by programs, URLs, expressions and counters, which can only restrict
//	ask       a person, if the rules or the governors say so
//	recheck   whether the act is still what was decided about
//	record    the decision on disk, before anything happens
//
// No later step lifts the result of an earlier one: a rejection is final, and governors are asked after the
// rules and before the person.
package gate
