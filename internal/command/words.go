package command

import "github.com/a2a-acp/a2a-acp/internal/plainyaml"

// Roles returns the rows of what programs do with each of their words, which internal/shellwords reads.
func Roles() []Item { return roles() }

// Like returns the rows that others are like.
func Like() []plainyaml.Node { return like() }

// Cure returns what a row says to write instead of a value, by its name where several rows say so.
func Cure(text string) string {
	if cure := cures()[text]; cure != "" {
		return cure
	}
	return text
}
