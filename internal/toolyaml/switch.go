package toolyaml

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// enabledKey is the key of a tool that switches it off.
const enabledKey = "enabled"

// Switch returns a tools file with one of its tools switched on or off, and all else byte for byte as it was: comments,
// order, the way in which things are written. A file in which that cannot be told for sure is refused, with what to write.
func Switch(data []byte, id string, on bool) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	byHand := fmt.Errorf("the entry of %s is written so that it is not changed here; write enabled: %t there", id, on)
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("there is no tool %s in the file", id)
	}
	tools := doc.Content[0]
	if list := memberOf(tools, "tools"); list != nil {
		tools = list
	}
	entry := memberOf(tools, id)
	switch {
	case entry == nil:
		return nil, fmt.Errorf("there is no tool %s in the file", id)
	case entry.Kind != yaml.MappingNode || len(entry.Content) == 0:
		return nil, byHand
	}
	word := strconv.FormatBool(on)
	var changed []byte
	switch is := memberOf(entry, enabledKey); {
	case is != nil && is.Kind == yaml.ScalarNode && is.Value == word, is == nil && on:
		return data, nil
	case is != nil:
		at, ok := offset(data, is.Line, is.Column)
		if !ok || is.Style != 0 || is.Anchor != "" || !bytes.HasPrefix(data[at:], []byte(is.Value)) || is.Value == "" {
			return nil, byHand
		}
		changed = splice(data, at, at+len(is.Value), word)
	case entry.Style&yaml.FlowStyle != 0:
		at, ok := offset(data, entry.Line, entry.Column)
		if !ok || data[at] != '{' {
			return nil, byHand
		}
		changed = splice(data, at+1, at+1, enabledKey+": "+word+", ")
	default:
		first := entry.Content[0]
		start, ok := offset(data, first.Line, 1)
		at, known := offset(data, first.Line, first.Column)
		if !ok || !known || len(bytes.TrimLeft(data[start:at], " ")) > 0 {
			return nil, byHand
		}
		end := "\n"
		if line, _, _ := bytes.Cut(data[start:], []byte("\n")); bytes.HasSuffix(line, []byte("\r")) {
			end = "\r\n"
		}
		changed = splice(data, start, start, string(data[start:at])+enabledKey+": "+word+end)
	}
	if err := onlySwitched(data, changed, id, on); err != nil {
		return nil, byHand
	}
	return changed, nil
}

// memberOf returns the value of a key; nil where there is none.
func memberOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; mapping.Kind == yaml.MappingNode && i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// offset returns where a line and a column are, both from 1, the column in characters.
func offset(data []byte, line, column int) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	for ; column > 1 && at < len(data); column-- {
		_, size := utf8.DecodeRune(data[at:])
		at += size
	}
	return at, at < len(data)
}

func splice(data []byte, from, to int, text string) []byte {
	return append(append(append([]byte{}, data[:from]...), text...), data[to:]...)
}

// onlySwitched wants two files to say the same, but for whether one tool is on.
func onlySwitched(before, after []byte, id string, on bool) error {
	read := func(data []byte) (all any, entry map[string]any, err error) {
		if err := yaml.Unmarshal(data, &all); err != nil {
			return nil, nil, err
		}
		tools, _ := all.(map[string]any)
		if list, ok := tools["tools"].(map[string]any); ok {
			tools = list
		}
		entry, ok := tools[id].(map[string]any)
		if !ok {
			return nil, nil, errors.New("there is no such tool")
		}
		return all, entry, nil
	}
	old, oldEntry, err := read(before)
	if err != nil {
		return err
	}
	now, nowEntry, err := read(after)
	if err != nil {
		return err
	}
	if nowEntry[enabledKey] != on {
		return errors.New("the tool is not switched")
	}
	delete(oldEntry, enabledKey)
	delete(nowEntry, enabledKey)
	if !reflect.DeepEqual(old, now) {
		return errors.New("something else has changed")
	}
	return nil
}
