package command

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// takenRow says which files programs take from their directory and run; see commands.yaml.
type takenRow struct {
	ends, by []string
}

func readTaken(n plainyaml.Node) ([]takenRow, error) {
	var all []takenRow
	for _, entry := range n.Nodes {
		var ends, by string
		if err := Entries(entry, map[string]any{"ends": &ends, "by": &by}); err != nil {
			return nil, err
		}
		if ends == "" || by == "" {
			return nil, At(entry, "want ends and by")
		}
		all = append(all, takenRow{strings.Fields(ends), list(by)})
	}
	return all, nil
}

// Takes reports whether a program, named without its directory, runs a file of that name though none of its
// words names it.
func Takes(program string, words []string, file string) bool {
	return slices.ContainsFunc(taken(), func(row takenRow) bool {
		return endsAs(file, row.ends) && slices.ContainsFunc(row.by, func(by string) bool {
			name, subcommand, has := strings.Cut(by, " ")
			return name == program && (!has || slices.Contains(words, subcommand))
		})
	})
}
