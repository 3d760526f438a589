package permissions

import "strings"

// setting is one line of a file of git's settings: its key is section.name or section.subsection.name, and only the
// subsection has capitals.
type setting struct{ key, value string }

// readSettings reads git's format (git-config(1), Syntax). It is false for a text that is none, or that could be read in two
// ways: git would refuse it, and what it refuses harms nobody, but which one it is cannot be told.
func readSettings(text string) (all []setting, ok bool) {
	section := ""
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	for text != "" {
		text = strings.TrimLeft(text, " \t\n")
		switch {
		case text == "":
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			if section, text, ok = readSection(text[1:]); !ok {
				return nil, false
			}
		default:
			end := strings.IndexFunc(text, func(r rune) bool { return !isSettingLetter(r) })
			if end < 0 {
				end = len(text)
			}
			if end == 0 || section == "" {
				return nil, false
			}
			s := setting{key: section + "." + strings.ToLower(text[:end])}
			text = strings.TrimLeft(text[end:], " \t")
			if rest, given := strings.CutPrefix(text, "="); given {
				if s.value, text, ok = readValue(rest); !ok {
					return nil, false
				}
			} else if text != "" && strings.IndexByte("\n#;", text[0]) < 0 {
				return nil, false
			}
			all = append(all, s)
		}
	}
	return all, true
}

func isSettingLetter(r rune) bool {
	return r == '-' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// readSection reads what stands behind a [, and gives what comes behind its ].
func readSection(text string) (section, rest string, ok bool) {
	end := strings.IndexAny(text, "] \t\n")
	if end <= 0 || text[end] == '\n' {
		return "", "", false
	}
	section = strings.ToLower(text[:end])
	if strings.IndexFunc(section, func(r rune) bool { return r != '.' && !isSettingLetter(r) }) >= 0 {
		return "", "", false
	}
	text = strings.TrimLeft(text[end:], " \t")
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		var b strings.Builder
		at := 0
		for ; at < len(quoted) && quoted[at] != '"'; at++ {
			if quoted[at] == '\\' {
				at++
			}
			if at >= len(quoted) || quoted[at] == '\n' {
				return "", "", false
			}
			b.WriteByte(quoted[at])
		}
		section, text = section+"."+b.String(), quoted[min(at+1, len(quoted)):]
	}
	rest, ok = strings.CutPrefix(text, "]")
	return section, rest, ok
}

// readValue reads what stands behind a =, to the end of its line, and gives what comes after that.
func readValue(text string) (value, rest string, ok bool) {
	var b strings.Builder
	quoted := false
	text = strings.TrimLeft(text, " \t")
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			switch text[i] {
			case '\n':
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '\\', '"':
				b.WriteByte(text[i])
			default:
				return "", "", false
			}
		case c == '\\':
			return "", "", false
		case c == '"':
			quoted = !quoted
		case c == '\n':
			return strings.TrimRight(b.String(), " \t"), text[i:], !quoted
		case (c == '#' || c == ';') && !quoted:
			_, rest, _ = strings.Cut(text[i:], "\n")
			return strings.TrimRight(b.String(), " \t"), rest, true
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimRight(b.String(), " \t"), "", !quoted
}
