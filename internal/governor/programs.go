package governor

import (
	"fmt"
	"slices"
)

// programsOf names the files of a file's script governors by what is in them now.
func (g *Governors) programsOf(c *compiled) []string {
	var list []string
	for _, m := range slices.Concat(c.permission, c.output) {
		if m.spec.Kind != KindScript {
			continue
		}
		_, files, err := (&script{spec: m.spec.Script}).words()
		if err != nil {
			list = append(list, fmt.Sprintf("none: %v", err))
		}
		for _, file := range files {
			list = append(list, file+" "+g.hashOf(file))
		}
	}
	return list
}

// hashOf names a file by its content, so that a grant which one of its governors had a say in does not outlive it.
// What cannot be read is named by the error, so that the name changes when it can.
func (g *Governors) hashOf(path string) string {
	sum, err := g.programs.Hash(path)
	if err != nil {
		return fmt.Sprintf("none: %v", withoutPath(err))
	}
	return sum
}
