package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
)

// Insert puts an entry at the end of a tools file and gives the file's new content: every byte of the old
// one is in it, in order. The error says why the entry cannot be put there: the file is broken, has a tool
// of that name, or is written so that only a person can say where the entry goes.
func Insert(file config.File, e Entry) ([]byte, error) {
	old := file.Data
	if len(old) > 0 && old[len(old)-1] != '\n' {
		file.Data = append(bytes.Clone(old), '\n') // what stands last may end in a newline now
	}
	before, err := config.ReadTools(file)
	if err != nil {
		return nil, err
	}
	file.Data = old
	for _, loaded := range before {
		if loaded.Tool.ID == e.ID {
			return nil, fmt.Errorf("%s: there is a tool %q already", loaded.Tool.Source, e.ID)
		}
	}
	made, err := toolyaml.Append(file.Data, e.YAML, len(before) > 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	file.Data = made
	after, err := config.ReadTools(file)
	if err != nil {
		return nil, fmt.Errorf("%s: the entry cannot be put at its end: %w", file.Name, err)
	}
	if err := keeps(before, after, e.ID); err != nil {
		return nil, fmt.Errorf("%s: the entry cannot be put at its end: %w", file.Name, err)
	}
	return made, nil
}

// keeps makes sure that the file says of every other tool what it said before.
func keeps(before, after []config.Loaded, id string) error {
	if len(after) != len(before)+1 {
		return errors.New("the file would have other tools")
	}
	for i := range before {
		old, now := before[i].Tool, after[i].Tool
		old.Source = now.Source // lines may move
		for j := range old.Examples {
			if j < len(now.Examples) {
				now.Examples[j].Line = old.Examples[j].Line
			}
		}
		if !reflect.DeepEqual(old, now) {
			return fmt.Errorf("the tool %q would be another", old.ID)
		}
	}
	if after[len(before)].Tool.ID != id {
		return fmt.Errorf("the tool %q would not be there", id)
	}
	return nil
}
