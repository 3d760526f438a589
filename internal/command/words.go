package command

import "github.com/a2a-acp/a2a-acp/internal/plainyaml"

// WordsOf returns what is known of what a program does with each of its words, which internal/shellwords
// reads. It is nil where nothing is known, and the same for programs that share it.
func WordsOf(program string) *plainyaml.Node { return programs().named(program).words }

// Names lists the programs of which WordsOf or Named knows something.
func Names() []string {
	var all []string
	for _, row := range programs().inOrder {
		if p := row.read(); p.words != nil || p.reads != nil {
			all = append(all, p.names...)
		}
	}
	return all
}

// readLike reads the rows that others are like. They are like no others themselves, so that none is like
// itself.
func readLike(n plainyaml.Node) ([]plainyaml.Node, error) {
	var find func(plainyaml.Node) error
	find = func(n plainyaml.Node) error {
		for _, entry := range n.Nodes {
			if entry.Key == "like" {
				return At(entry, "a row that others are like is like none itself; write here what "+entry.Text+" says")
			}
			if err := find(entry); err != nil {
				return err
			}
		}
		return nil
	}
	return n.Nodes, find(n)
}

// Like returns the rows that others are like.
func Like() []plainyaml.Node { return like() }

// Cure returns what a row says to write instead of a value, by its name where several rows say so.
func Cure(text string) string {
	if cure := cures()[text]; cure != "" {
		return cure
	}
	return text
}
