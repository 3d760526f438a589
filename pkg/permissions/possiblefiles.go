package permissions

import "strings"

// possibleFiles lists what a word could name: itself, and what stands behind a sign that programs read as the end of an
// option or of a part: --file=/etc/passwd, @/etc/passwd, HEAD:.env, a,b. Addresses of other machines are no files.
func possibleFiles(word string) []string {
	names := []string{word}
	for i := 0; i < len(word); i++ {
		if strings.IndexByte("=:,@", word[i]) < 0 {
			continue
		}
		if rest := word[i+1:]; rest != "" && !(word[i] == ':' && strings.HasPrefix(rest, "//") && !strings.HasSuffix(strings.ToLower(word[:i]), "file")) {
			names = append(names, rest)
		}
	}
	if parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("=:,@", r) }); len(parts) > 1 {
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
	return names
}

// longestOption is the length, in bytes, up to which an option is searched for the names that it could hold.
const longestOption = 256
