package acp

import (
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// patchedFiles lists the files that a patch names: of Codex' format, or a unified diff. plain is false where
// it is neither, line by line: what carries it out reads more than is written there, as Codex takes a line
// for the beginning of another file that has blanks before it. Then all that looks like a name is listed, so
// that a rule can reject it.
func patchedFiles(text string) (files []string, plain bool) {
	if files, err := tool.PatchFiles(text); err == nil {
		return files, true
	}
	if files, plain := unifiedFiles(text); plain {
		return files, true
	}
	return mentionedFiles(text), false
}

// hunkHead begins a hunk of a unified diff, and says how many lines it has of both files.
var hunkHead = lazyregexp.New(`^@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@`)

// unifiedFiles lists the files of a unified diff in which no line is left over; false where there is one.
func unifiedFiles(text string) (files []string, plain bool) {
	var list fileNames
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		name, index := strings.CutPrefix(line, "Index: ")
		old, headed := strings.CutPrefix(line, "--- ")
		switch {
		case index && list.addPlain(name):
		case strings.Trim(line, "=") == "": // between the files
		case headed && i < len(lines):
			changed, ok := strings.CutPrefix(lines[i], "+++ ")
			if i++; !ok || !list.addBoth(old, changed) {
				return nil, false
			}
			for i < len(lines) && strings.HasPrefix(lines[i], "@@") {
				behind := hunkEnd(lines, i)
				if behind < 0 {
					return nil, false
				}
				i = behind
			}
		default:
			return nil, false
		}
	}
	return list.names, len(list.names) > 0
}

// hunkEnd returns where the hunk that begins at a line ends; -1 where it has other lines than it says.
func hunkEnd(lines []string, at int) int {
	head := hunkHead.FindStringSubmatch(lines[at])
	if head == nil {
		return -1
	}
	left := [2]int{1, 1} // of the file before, and of that after
	for i, count := range head[1:] {
		if count != "" {
			left[i], _ = strconv.Atoi(count) // digits, and few
		}
	}
	for at++; at < len(lines); at++ {
		line := lines[at] + " " // some write nothing where an empty line stays
		switch {
		case line[0] == '\\': // the end of a file has no line end
			continue
		case left == [2]int{}:
			return at
		case line[0] == ' ':
			left[0]--
			left[1]--
		case line[0] == '-':
			left[0]--
		case line[0] == '+':
			left[1]--
		default:
			return -1
		}
		if left[0] < 0 || left[1] < 0 {
			return -1
		}
	}
	if left != [2]int{} {
		return -1
	}
	return at
}

// fileNames are names of files, each once. The zero value is empty and ready.
type fileNames struct {
	names []string
	known map[string]bool
}

func (f *fileNames) add(name string) {
	if name == "" || name == "/dev/null" || f.known[name] {
		return
	}
	if f.known == nil {
		f.known = map[string]bool{}
	}
	f.known[name], f.names = true, append(f.names, name)
}

// addPlain adds a name, and reports whether everybody reads it as it stands there: git quotes some.
func (f *fileNames) addPlain(name string) bool {
	f.add(name)
	return name != "" && name == strings.TrimSpace(name) && name[0] != '"' && !strings.ContainsFunc(name, isControl)
}

// addBoth adds the names of a changed file before and after, and reports whether they are plain.
func (f *fileNames) addBoth(old, changed string) bool {
	old, _, _ = strings.Cut(old, "\t") // a time may follow
	changed, _, _ = strings.Cut(changed, "\t")
	if strings.HasPrefix(old, "a/") || strings.HasPrefix(changed, "b/") { // git's prefixes, and /dev/null
		old, changed = strings.TrimPrefix(old, "a/"), strings.TrimPrefix(changed, "b/")
	}
	oldPlain, changedPlain := f.addPlain(old), f.addPlain(changed)
	return oldPlain && changedPlain
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// mentionedFiles lists whatever a patch in any format may name: in those of Codex, of git, and in unified
// diffs, with blanks before and behind.
func mentionedFiles(text string) []string {
	var list fileNames
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if old, ok := strings.CutPrefix(line, "--- "); ok && i+1 < len(lines) {
			if changed, ok := strings.CutPrefix(strings.TrimSpace(lines[i+1]), "+++ "); ok {
				list.addBoth(strings.TrimSpace(old), strings.TrimSpace(changed))
			}
		}
		for _, mark := range []string{"Index: ", "rename from ", "rename to ", "copy from ", "copy to ",
			"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
			if name, ok := strings.CutPrefix(line, mark); ok {
				list.add(strings.TrimSpace(name))
				before, _, _ := strings.Cut(name, "\t") // a time, to some
				list.add(strings.TrimSpace(before))
			}
		}
	}
	return list.names
}
