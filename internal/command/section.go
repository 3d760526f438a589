package command

import (
	"fmt"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// section returns the reader of a section, which reads once.
func section[T any](key string, read func(plainyaml.Node) (T, error)) func() T {
	return sync.OnceValue(func() T { return must(read(must(plainyaml.Read(key + ":\n" + cut(source, key))).Nodes[0])) })
}

// must returns what was read of the program's own file. The tests read all of it.
func must[T any](all T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("commands.yaml, which is a part of this program: %v", err))
	}
	return all
}

// cut returns the lines of a section.
func cut(text, key string) string {
	_, rest, _ := strings.Cut(text, "\n"+key+":\n")
	end := 0
	for line := range strings.Lines(rest) {
		if line[0] != ' ' && line[0] != '#' && line[0] != '\n' {
			break
		}
		end += len(line)
	}
	return rest[:end]
}

// item is a row of a section. Of a row of the program's own file only the names are read before read is
// called: the file is long, and a command asks for few rows.
type item struct {
	names string
	read  func() plainyaml.Node
}

// cutItems cuts a section into its rows. Each begins with its names.
func cutItems(text, key string) []item {
	const first = "  - names: "
	parts := strings.Split("\n"+cut(text, key), "\n"+first)[1:]
	all := make([]item, len(parts))
	for i, part := range parts {
		all[i] = item{names: itemNames(part), read: func() plainyaml.Node {
			return must(plainyaml.Read("rows:\n" + first + part)).Nodes[0].Nodes[0]
		}}
	}
	return all
}

// itemNames returns what stands behind names: at the beginning of a row.
func itemNames(text string) string {
	names, rest, _ := strings.Cut(text, "\n")
	switch {
	case names == ">-":
		names = ""
		for line := range strings.Lines(rest) {
			if !strings.HasPrefix(line, "      ") {
				break
			}
			names += " " + strings.TrimSpace(line)
		}
		return names[1:]
	case names[0] == '\'', names[0] == '"':
		return must(plainyaml.Read("names: " + names)).Nodes[0].Text
	}
	return names
}
