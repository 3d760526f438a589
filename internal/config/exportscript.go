package config

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// scripts returns the texts of an entry that are run.
func scripts(entry *yaml.Node) (texts []string) {
	if script := member(entry, "script"); script != nil {
		texts = append(texts, script.Value)
	}
	if examples := member(entry, "examples"); examples != nil {
		for _, example := range examples.Content {
			if setup := member(example, "setup"); setup != nil {
				texts = append(texts, setup.Value)
			}
		}
	}
	return texts
}

// namedCredential is a text that stands behind a name which says that it is a credential: PGPASSWORD=…,
// --password …, "api_key": …, and behind the user of an option for both, as of curl -u.
var namedCredential = sync.OnceValue(func() *regexp.Regexp {
	const name = `[\w-]*(?:token|secret|passw(?:or)?d|passphrase|credential|storepass|bearer|` +
		`(?:api|access|secret|auth|private|account|shared|signing|client|master)[_-]?key|[_-](?:auth|pass|pat|pwd|dsn))`
	const text = "([^\\s\"'`$<>(){}|;&,*]+)"
	return regexp.MustCompile(`(?i)(?:^|[^\w-])(` + name + `)["']?(?:=|:[ \t]*)["']?` + text +
		`|(?:^|\s)(--?` + name + `)[ \t]+["']?` + text +
		`|(?:^|\s)(-[a-z]*u|--user|--proxy-user|--auth)[= \t]*["']?[\w.@-]+:` + text)
})

// openWord is what stands in the place of a credential and is none: a word, a name of a file, another option.
var openWord = lazyregexp.New(`^(?:[a-z]+|[-/.~].*|.{0,3})$`)

// credentialNamedIn finds a credential in a script by what it stands behind, and says what that is.
func credentialNamedIn(script string) string {
	for _, found := range namedCredential().FindAllStringSubmatch(script, -1) {
		switch name, text := found[1]+found[3], found[2]+found[4]; {
		case name == "" && strings.ContainsAny(found[6], "0123456789") && !openWord.MatchString(found[6]) &&
			strings.Trim(found[6], "0123456789") != "":
			return fmt.Sprintf("what stands behind the user of %s", found[5])
		case name != "" && (!openWord.MatchString(text) || name == strings.ToUpper(name) && len(text) > 3 &&
			!strings.ContainsAny(text[:1], "-/.~")):
			return fmt.Sprintf("what stands behind %s", name)
		}
	}
	return ""
}
