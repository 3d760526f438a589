package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// writeGiven says which variables a tool's calls are given, and from where; never a value that stands elsewhere.
func writeGiven(w io.Writer, s tool.Sandbox) {
	for _, name := range slices.Sorted(maps.Keys(s.References)) {
		fmt.Fprintf(w, "  be given %s (%s)\n", name, permissions.ShowLine(s.References[name].String()))
	}
}

// shownReferences is writeGiven for `tools show -o json`.
func shownReferences(s tool.Sandbox) map[string]string {
	if len(s.References) == 0 {
		return nil
	}
	given := make(map[string]string, len(s.References))
	for name, reference := range s.References {
		given[name] = reference.String()
	}
	return given
}
