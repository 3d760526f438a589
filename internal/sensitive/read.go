package sensitive

import (
	"fmt"
	"strings"
)

// written is files.yaml as it is written.
type written struct {
	Groups []writtenGroup `yaml:"groups"`
	Plain  []writtenRow   `yaml:"plain"`
}

type writtenGroup struct {
	Class string       `yaml:"class"`
	Says  string       `yaml:"says"`
	Files []writtenRow `yaml:"files"`
}

type writtenRow struct {
	Names   string `yaml:"names"`
	Except  string `yaml:"except"`
	ReadBy  string `yaml:"read_by"`
	Source  string `yaml:"source"`
	Because string `yaml:"because"`
	Case    string `yaml:"case"`
	Shape   bool   `yaml:"shape"`
	Hidden  bool   `yaml:"hidden"`
	Top     bool   `yaml:"top"`
}

// readFile reads files.yaml line by line: a library for YAML would take 2 ms of nearly every start of the
// program. The file keeps to a small part of YAML, and TestReadAsYAML holds what is read here against the
// library.
func readFile(text string) (written, error) {
	var w written
	var at *writtenRow // the row that is being read
	section := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimLeft(lines[i], " ")
		depth := len(lines[i]) - len(line)
		if line == "" || line[0] == '#' {
			continue
		}
		line, item := strings.CutPrefix(line, "- ")
		if item {
			depth += 2
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return w, fmt.Errorf("line %d: it is no key", i+1)
		}
		value = strings.Trim(value, ` "`)
		if value == ">-" { // folded: the lines that stand deeper
			value = ""
			for i+1 < len(lines) && len(lines[i+1])-len(strings.TrimLeft(lines[i+1], " ")) > depth {
				i++
				value = strings.TrimLeft(value+" "+strings.TrimSpace(lines[i]), " ")
			}
		}
		switch {
		case depth == 0:
			section = key
			continue
		case item && key == "class":
			w.Groups = append(w.Groups, writtenGroup{Class: value})
			continue
		case item && section == "plain":
			w.Plain = append(w.Plain, writtenRow{})
			at = &w.Plain[len(w.Plain)-1]
		case len(w.Groups) == 0:
			return w, fmt.Errorf("line %d: there is no group yet", i+1)
		case item:
			files := &w.Groups[len(w.Groups)-1].Files
			*files = append(*files, writtenRow{})
			at = &(*files)[len(*files)-1]
		case key == "says":
			w.Groups[len(w.Groups)-1].Says = value
			continue
		case key == "files":
			continue
		}
		if at == nil || !at.set(key, value) {
			return w, fmt.Errorf("line %d: %q is no key of a row", i+1, key)
		}
	}
	return w, nil
}

// set takes a key of a row.
func (r *writtenRow) set(key, value string) bool {
	switch key {
	case "names":
		r.Names = value
	case "except":
		r.Except = value
	case "read_by":
		r.ReadBy = value
	case "source":
		r.Source = value
	case "because":
		r.Because = value
	case "case":
		r.Case = value
	case "shape":
		r.Shape = value == "true"
	case "hidden":
		r.Hidden = value == "true"
	case "top":
		r.Top = value == "true"
	default:
		return false
	}
	return true
}
