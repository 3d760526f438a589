// Package approval gets answers from people.
//
// A question is asked where a person sits: in the editor or at a terminal. It also stands on a board in the
// store of the state directory, which other terminals can list and answer. The first answer holds, wherever
// it was given.
//
// An answer is used once. One that was given where the question was asked is used by the act that asked.
// One from elsewhere is used by the act that waits for it or, if the asking process has ended, by the next
// act that asks exactly the same question.
package approval
