// Package approval puts questions to people and keeps their answers.
//
// A question is asked where somebody sits: in the editor, at a terminal. Beside that it stands on a board
// that other terminals see, in the store of the state directory, and the first answer holds, wherever it
// was given. An answer is used once: where it was asked, by the very act that asked; from elsewhere, by the
// act that waits for it, or, when the process that asked has ended, by whoever asks the very same next.
package approval
