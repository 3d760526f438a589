package a2a

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// fileSaver keeps the files that a server sends in a directory of the person's. Their names are the server's: nothing
// is written elsewhere, nothing is replaced, and nothing begins with a dot.
type fileSaver struct {
	dir   string // "" for nothing is kept
	saved int
}

// checkSave refuses a directory that nothing can be kept in, before anything is sent.
func checkSave(dir string) error {
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("--save: make the directory first: %w", err)
	}
	return root.Close()
}

// The bounds of what is kept.
const (
	mostFiles   = 1000
	longestName = 100
)

// save keeps a file, and returns what became of it.
func (s *fileSaver) save(name, mediaType string, content []byte) string {
	about := fmt.Sprintf("a file (%s, %d bytes)", display.Line(mediaType), len(content))
	if name != "" {
		about = fmt.Sprintf("a file %s (%s, %d bytes)", display.Line(name), display.Line(mediaType), len(content))
	}
	if s == nil || s.dir == "" {
		return about + "; --save DIR keeps files"
	}
	kept, err := s.write(plainName(name, mediaType), content)
	if err != nil {
		return fmt.Sprintf("%s was not kept: %v", about, err)
	}
	return fmt.Sprintf("a file (%s, %d bytes) is in %s", display.Line(mediaType), len(content), filepath.Join(s.dir, kept))
}

func (s *fileSaver) write(name string, content []byte) (string, error) {
	if s.saved++; s.saved > mostFiles {
		return "", fmt.Errorf("the server has sent more than %d files", mostFiles)
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return "", err
	}
	defer root.Close() //nolint:errcheck // nothing was written through it
	stem, ending := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	for n := 1; ; n++ {
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			name = fmt.Sprintf("%s-%d%s", stem, n+1, ending)
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(content)
		return name, errors.Join(err, f.Close())
	}
}

// plainName returns the name that a file is kept under.
func plainName(name, mediaType string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if display.Hidden(r) || r == '/' || r == '\uFFFD' {
			return '_'
		}
		return r
	}, name)
	if len(name) > longestName {
		ending := display.Cut(path.Ext(name), 10)
		name = display.Cut(name, longestName-len(ending)) + ending
	}
	name = strings.TrimLeft(name, ".-")
	if name != "" {
		return name
	}
	if endings, err := mime.ExtensionsByType(mediaType); err == nil && len(endings) > 0 {
		return "file" + endings[0]
	}
	return "file"
}
