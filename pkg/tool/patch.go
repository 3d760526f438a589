package tool

import (
	"fmt"
	"strings"
)

// The lines that give a patch its shape: Codex's format of apply_patch, as agents' models are taught it
// (github.com/openai/codex, codex-rs/apply-patch/apply_patch_tool_instructions.md).
const (
	patchBegin  = "*** Begin Patch"
	patchEnd    = "*** End Patch"
	patchAdd    = "*** Add File: "
	patchDelete = "*** Delete File: "
	patchUpdate = "*** Update File: "
	patchMove   = "*** Move to: "
	patchEOF    = "*** End of File"
)

// PatchFiles lists the files that a patch makes, changes, moves or removes, in its order. It is read more
// strictly than the models' own tools do: a line that could be taken for another thing by another reader is
// an error, which names the line and never what stands there.
func PatchFiles(patch string) ([]string, error) {
	lines := strings.Split(strings.TrimRight(patch, "\n"), "\n")
	if lines[0] != patchBegin {
		return nil, fmt.Errorf("its first line must be %q", patchBegin)
	}
	if len(lines) < 2 || lines[len(lines)-1] != patchEnd {
		return nil, fmt.Errorf("its last line must be %q", patchEnd)
	}
	r := patchReader{lines: lines[1 : len(lines)-1]}
	for r.at < len(r.lines) {
		if err := r.file(); err != nil {
			return nil, err
		}
	}
	if len(r.files) == 0 {
		return nil, fmt.Errorf("it names no file: %s, %s or %s", strings.TrimSpace(patchAdd),
			strings.TrimSpace(patchUpdate), strings.TrimSpace(patchDelete))
	}
	return r.files, nil
}

// patchReader goes through the lines between the first and the last.
type patchReader struct {
	lines []string
	at    int
	files []string
}

// file reads what is said about one file.
func (r *patchReader) file() error {
	line := r.lines[r.at]
	switch {
	case strings.HasPrefix(line, patchAdd):
		if err := r.name(patchAdd); err != nil {
			return err
		}
		r.skip("+")
	case strings.HasPrefix(line, patchDelete):
		return r.name(patchDelete)
	case strings.HasPrefix(line, patchUpdate):
		if err := r.name(patchUpdate); err != nil {
			return err
		}
		if r.at < len(r.lines) && strings.HasPrefix(r.lines[r.at], patchMove) {
			if err := r.name(patchMove); err != nil {
				return err
			}
		}
		before := r.at
		r.skip(" +-@")
		if r.at == before {
			return r.fault("the change of a file must follow: lines that begin with a space, +, - or @@")
		}
	default:
		return r.fault("want *** Add File: NAME, *** Update File: NAME or *** Delete File: NAME; " +
			"the lines of a new file begin with +, those of a change with a space, +, - or @@")
	}
	return nil
}

// skip goes over the lines that begin with one of the signs. In a change an empty line is one of context,
// and the mark of the file's end is a line of its own.
func (r *patchReader) skip(signs string) {
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		if line == "" && len(signs) > 1 || line == patchEOF && len(signs) > 1 {
			continue
		}
		if line == "" || !strings.ContainsRune(signs, rune(line[0])) ||
			line[0] == '@' && !strings.HasPrefix(line, "@@") {
			return
		}
	}
}

// name reads the name of a file. One that could be read in two ways is none.
func (r *patchReader) name(prefix string) error {
	name := strings.TrimPrefix(r.lines[r.at], prefix)
	plain := name != "" && strings.TrimSpace(name) == name && len(name) <= 4096
	for _, c := range name {
		plain = plain && c >= 0x20 && c != 0x7f && c != '\uFFFD'
	}
	if !plain {
		return r.fault("want the name of a file without blanks around it and without control characters")
	}
	r.files = append(r.files, name)
	r.at++
	return nil
}

// fault names the line that is next. The first line of a patch is 1.
func (r *patchReader) fault(message string) error {
	return fmt.Errorf("line %d: %s", r.at+2, message)
}
