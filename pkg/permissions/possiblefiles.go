package permissions

import "strings"

// possibleFiles lists what a word could name: itself, and what stands behind a sign that programs read as
// the end of an option or of a part: --file=/etc/passwd, @/etc/passwd, HEAD:.env, a,b. Addresses of other
// machines are no files. ok is false for a word of more parts than can be looked at.
func possibleFiles(word string) (names []string, ok bool) {
	names = []string{word}
	signs := 0
	for i := 0; i < len(word); i++ {
		if strings.IndexByte("=:,@", word[i]) >= 0 {
			signs++
		}
	}
	if signs > mostParts {
		return names, false
	}
	for i := 0; i < len(word); i++ {
		if strings.IndexByte("=:,@", word[i]) < 0 {
			continue
		}
		if rest := word[i+1:]; rest != "" &&
			!(word[i] == ':' && strings.HasPrefix(rest, "//") &&
				!strings.HasSuffix(strings.ToLower(word[:i]), "file")) {
			names = append(names, rest)
		}
	}
	if parts := strings.FieldsFunc(word,
		func(r rune) bool { return strings.ContainsRune("=:,@", r) }); len(parts) > 1 {
		for i, part := range parts[:len(parts)-1] {
			if i > 0 && strings.HasPrefix(part, "//") && !strings.HasSuffix(strings.ToLower(parts[i-1]), "file") {
				continue // of an address
			}
			names = append(names, part)
		}
	}
	if strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && len(word) <= longestOption {
		for i := 2; i < len(word); i++ {
			names = append(names, word[i:]) // -f/etc/passwd, -xf../a
		}
	}
	for _, name := range names {
		names = append(names, nameReadings(name)[1:]...)
	}
	return names, true
}

// mostParts is how many of such signs may stand in a word.
const mostParts = 500

// longestOption is the length, in bytes, up to which an option is searched for the names that it could hold.
const longestOption = 256

// shellReadings lists what a word may be to the program: itself, and what fish makes of it, to which two
// backslashes in single quotes are one (https://fishshell.com/docs/current/language.html#quotes).
func shellReadings(word string) []string {
	if fish := strings.ReplaceAll(word, `\\`, `\`); fish != word {
		return []string{word, fish}
	}
	return []string{word}
}

// nameReadings is shellReadings for a name of a file. With EXTENDED_GLOB zsh takes x~y for x, but for y, and
// x# for any number of x (zshexpn(1), Glob Operators).
func nameReadings(word string) []string {
	names := shellReadings(word)
	if but := strings.IndexByte(word, '~'); but > 0 {
		names = append(names, word[:but])
	}
	if some := strings.ReplaceAll(word, "#", ""); some != word && some != "" {
		names = append(names, some)
	}
	return names
}
