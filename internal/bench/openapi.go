package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/openapi"
)

const (
	imports   = 11
	maxImport = 4 // of the time that encoding/json takes to decode the document
)

// openAPIRows take what `import openapi` does of a document: tools of all of its operations, as the table and the report
// have them; a file of some; and a file of all, of which a tools file holds up to 1 MiB.
func openAPIRows(document string) []row {
	named := func(what string, goal float64) row {
		return comparedRow("import openapi, GitHub's document: "+what, "ms", "encoding/json decode", goal)
	}
	rows := []row{named("a report of all", maxImport), named("a file of some", maxImport), named("a file of all", 0)}
	unmeasured := func(err error) []row {
		for i := range rows {
			rows[i] = rows[i].unmeasured(err)
		}
		return rows
	}
	data, err := os.ReadFile(document)
	if err != nil {
		return unmeasured(fmt.Errorf("%w (make specs fetches it)", err))
	}
	var floors []float64
	taken := make([][]float64, len(rows))
	for i := range imports + 1 {
		floor, err := timed(func() error {
			var decoded any
			return json.Unmarshal(data, &decoded)
		})
		if err != nil {
			return unmeasured(err)
		}
		floors = append(floors, floor)
		for at, do := range []func() error{
			func() error { _, err := importOf(data, nil); return err },
			func() error { return writtenOf(data, []string{"issues/*"}) },
			func() error { return writtenOf(data, nil) },
		} {
			ms, err := timed(do)
			if err != nil {
				return unmeasured(err)
			}
			if i > 0 {
				taken[at] = append(taken[at], ms)
			}
		}
	}
	for i := range rows {
		samples := fmt.Sprintf("%d each, %.1f MB", imports, float64(len(data))/1e6)
		rows[i] = rows[i].measured(median(taken[i]), median(floors[1:]), samples)
	}
	return rows
}

func importOf(data []byte, selected []string) (*openapi.Made, error) {
	return openapi.Make(openapi.Request{Data: data, Select: selected,
		Tokens: mcpserver.Tokens})
}

func writtenOf(data []byte, selected []string) error {
	made, err := importOf(data, selected)
	if err == nil {
		_, err = made.File()
	}
	return err
}
