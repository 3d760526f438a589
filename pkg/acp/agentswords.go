package acp

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// Our lines in the cards of agents begin with our name, and only ours do: who reads one takes it for what was
// decided. A line of an agent's that begins so is shown as the agent's, and a question with one is doubted.

// speaksAsUs reports whether a text has a line that a person could take for one of ours.
func speaksAsUs(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, endsLine), lineSpeaksAsUs)
}

// ourName is the beginning of our lines, by its letters and digits.
const ourName = "a2aacp"

// lineSpeaksAsUs looks no further into a line than it begins as one of ours does: texts are long.
func lineSpeaksAsUs(line string) bool {
	begun := ""
	for at, r := range line {
		begun += spelling(string(r))
		switch {
		case strings.HasPrefix(begun, ourName):
			_, size := utf8.DecodeRuneInString(line[at:])
			rest := line[at+size:]
			return strings.HasPrefix(begun[len(ourName):]+spelling(rest), "asks") || strings.Contains(rest, ":")
		case !strings.HasPrefix(ourName, begun):
			return false
		}
	}
	return false
}

// endsLine reports whether some reader begins another line at a character.
func endsLine(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }

// asAgents returns a text in which no line begins as ours do.
func asAgents(text string) string {
	if !speaksAsUs(text) {
		return text
	}
	var b strings.Builder
	for text != "" {
		end := strings.IndexFunc(text, endsLine)
		if end < 0 {
			end = len(text)
		}
		if lineSpeaksAsUs(text[:end]) {
			b.WriteString("the agent writes: ")
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		b.WriteString(text[:end+size])
		text = text[end+size:]
	}
	return b.String()
}

// contentAsAgents returns an item of a card in which no line begins as ours do. Files are shown as they are.
func contentAsAgents(item []byte) []byte {
	if members, err := exactObject(item); err == nil && members["content"] != nil {
		if shown := textsAsAgents(members["content"]); shown != nil {
			return ndjson.Replace(item, members["content"], shown)
		}
	}
	return item
}

// textsAsAgents returns a value with its texts as asAgents has them, but for addresses and data; nil where
// they are so already.
func textsAsAgents(raw []byte) []byte {
	if text, err := ndjson.String(raw); err == nil {
		if shown := asAgents(text); shown != text {
			return encode(shown)
		}
		return nil
	}
	changed := false
	var members []member
	for key, value := range ndjson.Members(raw) {
		if !slices.Contains([]string{"uri", "data", "mimeType", "type"}, key) {
			if shown := textsAsAgents(value); shown != nil {
				value, changed = shown, true
			}
		}
		members = append(members, member{key, value})
	}
	var list []json.RawMessage
	for value := range ndjson.Elements(raw) {
		if shown := textsAsAgents(value); shown != nil {
			value, changed = shown, true
		}
		list = append(list, value)
	}
	switch {
	case !changed:
		return nil
	case list != nil:
		return encode(list)
	}
	return write(members)
}

// updateAsAgents returns the line of an update about a call in which no text that a card shows begins as ours
// do, and the content in it.
func updateAsAgents(line []byte, update object) (_, content []byte) {
	content = update["content"]
	changed := false
	replace := func(key string, shown []byte) {
		part := update[key]
		if changed { // it is a part of what the line was
			part, _ = ndjson.Get(ndjson.Scan(line).Params, "update", key)
		}
		line, changed = ndjson.Replace(line, part, shown), true
	}
	for _, key := range []string{"title", "name", "rawOutput"} {
		if raw := update[key]; len(raw) > 0 && raw[0] == '"' {
			if shown := textsAsAgents(raw); shown != nil {
				replace(key, shown)
			}
		}
	}
	if shown := itemsAsAgents(content); shown != nil {
		replace("content", shown)
	}
	if changed {
		content, _ = ndjson.Get(ndjson.Scan(line).Params, "update", "content")
	}
	return line, content
}

// itemsAsAgents is contentAsAgents for all items, or the one of a chunk; nil where they are so already.
func itemsAsAgents(content []byte) []byte {
	if len(content) == 0 || content[0] != '[' {
		if shown := contentAsAgents(content); len(shown) != len(content) {
			return shown
		}
		return nil
	}
	var items []json.RawMessage
	changed := false
	for item := range ndjson.Elements(content) {
		shown := contentAsAgents(item)
		changed = changed || len(shown) != len(item)
		items = append(items, shown)
	}
	if !changed {
		return nil
	}
	return encode(items)
}
