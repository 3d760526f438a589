package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// AddSetting puts a setting at the end of a settings file that does not say it, and gives the file's new content with the line
// that the setting is in: every byte of the old one is in it, in order. A file that says the same already stays as it is. The
// error says why the setting cannot be put there, and where it goes.
func AddSetting(file File, key, value string) (data []byte, line int, err error) {
	var document yaml.Node
	before, err := settingValues(file.Data, &document)
	if err != nil {
		return nil, 0, err
	}
	wanted := key + ": " + value
	added, err := settingValues([]byte(wanted), &yaml.Node{})
	if err != nil {
		return nil, 0, err
	}
	byHand := fmt.Errorf("%s is written so that only a person can say where %q goes", file.Name, wanted)
	if len(document.Content) > 0 {
		root := document.Content[0]
		for i := 0; i+1 < len(root.Content) && root.Kind == yaml.MappingNode; i += 2 {
			if at := root.Content[i]; at.Value == key {
				if reflect.DeepEqual(before[key], added[key]) {
					return file.Data, at.Line, nil
				}
				return nil, at.Line, fmt.Errorf("%s:%d says otherwise, which is kept; write %q there", file.Name, at.Line, wanted)
			}
		}
		empty := root.Kind == yaml.ScalarNode && root.Tag == "!!null"
		if !empty && (root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Column != 1) {
			return nil, 0, byHand
		}
	}
	end := "\n"
	if bytes.Contains(file.Data, []byte("\r\n")) {
		end = "\r\n"
	}
	data = bytes.Clone(file.Data)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, end...)
	}
	line = bytes.Count(data, []byte("\n")) + 1
	data = append(data, wanted+end...)
	after, err := settingValues(data, &yaml.Node{})
	if err != nil || !reflect.DeepEqual(after[key], added[key]) {
		return nil, 0, byHand
	}
	if delete(after, key); len(after)+len(before) > 0 && !reflect.DeepEqual(before, after) {
		return nil, 0, byHand
	}
	return data, line, nil
}

// settingValues reads what the first document of a settings file says, whatever it means.
func settingValues(data []byte, document *yaml.Node) (values map[string]any, err error) {
	if err := yaml.Unmarshal(data, document); err != nil {
		return nil, errors.New(display.Line(err.Error()))
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return values, document.Decode(&values)
}
