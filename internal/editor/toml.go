package editor

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// tomlServers lists the servers of a section of TOML.
func tomlServers(data []byte, section string, own owner) ([]Listed, error) {
	var root map[string]toml.Primitive
	meta, err := toml.Decode(string(bytes.TrimPrefix(data, byteOrderMark)), &root)
	if err != nil {
		return nil, err
	}
	in, ok := root[section]
	if !ok {
		return nil, nil
	}
	var entries map[string]toml.Primitive
	if err := meta.PrimitiveDecode(in, &entries); err != nil {
		return nil, fmt.Errorf("%s is no table", section)
	}
	var found []Listed
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var entry written
		_ = meta.PrimitiveDecode(entries[name], &entry) // else it is another kind of entry, and none of ours
		found = append(found, entry.listed(name, own))
	}
	return found, nil
}

// newlineOf is how the lines of a text end.
func newlineOf(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// tomlEntry writes our server as a table of its own.
func tomlEntry(section string, own owner, s Server, newline string) []byte {
	lines := []string{"[" + section + "." + own.name + "]"}
	if s.URL != "" {
		lines = append(lines, "url = "+strconv.Quote(s.URL))
		if s.Token != "" {
			lines = append(lines, "bearer_token_env_var = "+strconv.Quote(s.Token))
		}
	} else {
		words := make([]string, 0, len(s.Args))
		for _, word := range s.Args {
			words = append(words, tomlText(word))
		}
		lines = append(lines, "command = "+tomlText(s.Command), "args = ["+strings.Join(words, ", ")+"]")
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			pairs = append(pairs, tomlText(name)+" = "+tomlText(s.Env[name]))
		}
		if len(pairs) > 0 {
			lines = append(lines, "env = { "+strings.Join(pairs, ", ")+" }")
		}
	}
	return []byte(strings.Join(lines, newline) + newline)
}

// tomlText writes a basic string.
func tomlText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20, r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// tomlEntered returns settings with our table, in place of the one that is there.
func tomlEntered(data []byte, section string, own owner, s Server) ([]byte, error) {
	entry := tomlEntry(section, own, s, newlineOf(data))
	for line := range bytes.Lines(data) { // a table that is written in one line is closed
		rest, ok := strings.CutPrefix(strings.TrimSpace(string(line)), section)
		if ok && strings.HasPrefix(strings.TrimSpace(rest), "=") {
			return nil, fmt.Errorf("%s is written in one line, and no table can be added to it", section)
		}
	}
	var out []byte
	if from, to, ok := tomlTable(data, section, own); ok {
		out = slices.Concat(data[:from], entry, data[to:])
	} else {
		out = tomlAppended(data, entry)
	}
	there, err := tomlServers(out, section, own) // the section may be one that no table can be added to
	if err == nil && !slices.ContainsFunc(there, func(l Listed) bool { return l.Name == own.name && l.Ours }) {
		err = fmt.Errorf("%s is written in a way that no table can be added to", section)
	}
	return out, err
}

// tomlAppended returns settings with a table at their end.
func tomlAppended(data, entry []byte) []byte {
	if len(bytes.TrimPrefix(data, byteOrderMark)) == 0 {
		return append(bytes.Clone(data), entry...)
	}
	newline, out := newlineOf(data), bytes.Clone(data)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, newline...)
	}
	return append(append(out, newline...), entry...)
}

// tomlTable returns where our table stands: from its header to the last line of it.
func tomlTable(data []byte, section string, own owner) (from, to int, ok bool) {
	from, to, at := -1, 0, 0
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(bytes.TrimPrefix(line, byteOrderMark)))
		header := strings.HasPrefix(text, "[")
		switch {
		case header && isOurHeader(text, section, own):
			if from < 0 {
				from = at
			}
			to = at + len(line)
		case header && from >= 0:
			return from, to, true
		case from >= 0 && text != "" && !strings.HasPrefix(text, "#"):
			to = at + len(line)
		}
		at += len(line)
	}
	return from, to, from >= 0
}

// isOurHeader reports whether a line begins our table, or one below it.
func isOurHeader(line, section string, own owner) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(line, "["), "]")
	var parts []string
	for _, part := range strings.Split(name, ".") {
		parts = append(parts, strings.Trim(strings.TrimSpace(part), `"'`))
	}
	return len(parts) >= 2 && parts[0] == section && parts[1] == own.name
}

// tomlOurs returns our table as it stands; nil for none.
func tomlOurs(data []byte, section string, own owner) []byte {
	from, to, ok := tomlTable(data, section, own)
	if !ok {
		return nil
	}
	return data[from:to]
}

// tomlRemoved takes our table out, with the empty line before it that came with it.
func tomlRemoved(data []byte, section string, own owner, there []Listed) ([]byte, error) {
	from, to, ok := tomlTable(data, section, own)
	if !ok || slices.ContainsFunc(there, func(l Listed) bool { return l.Ours && l.Name != own.name }) {
		return nil, fmt.Errorf("our server does not stand in a table [%s.%s] of its own; take it out by hand", section, own.name)
	}
	before := data[:from]
	newline := newlineOf(data)
	if bytes.HasSuffix(before, []byte(newline+newline)) {
		before = before[:len(before)-len(newline)]
	}
	out := slices.Concat(before, data[to:])
	_, err := tomlServers(out, section, own)
	return out, err
}
