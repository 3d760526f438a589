package person

import (
	_ "embed"
	"strings"
)

//go:embed schedulers.txt
var schedulersText string

// isScheduler reports whether a process of a name starts programs when nobody is there.
func isScheduler(name string) bool {
	for line := range strings.Lines(schedulersText) {
		known, _, _ := strings.Cut(line, " ")
		if known != "#" && known == name {
			return true
		}
	}
	return false
}
